import type { EnvironmentVariable } from "./settings.ts";

interface VariableDescription {
  /** What it decides, in Markdown. */
  readonly what: string;
  readonly example?: string;
}

/** Describes each variable of the environment for the reference, `docs/reference/configuration.md`. */
export const variableDescriptions: Readonly<Record<EnvironmentVariable, VariableDescription>> = {
  HOST: { what: "The address that the service listens on.", example: "0.0.0.0" },
  PORT: { what: "The port that the service listens on. 0 = any free port." },
  DATABASE_URL: {
    what: "The database: a SQLite file (`sqlite:PATH`) or PostgreSQL (`postgres://…`).",
    example: "sqlite:/var/lib/trainyard/trainyard.db",
  },
  TRAINYARD_DATABASE_WAIT_MS: {
    what: "How long a start waits for another service on the same SQLite database to end, or for PostgreSQL to answer, in milliseconds.",
  },
  LOG_LEVEL: { what: "The least important messages that are logged." },
  LOG_FORMAT: { what: "`pretty` is for people, `json` for programs." },
  TRAINYARD_PUBLIC_URL: {
    what: "The address at which people and GitHub reach the service. The set-up needs it.",
    example: "https://trainyard.example.com",
  },
  WEBHOOK_PATH: { what: "The path of GitHub's webhooks." },
  GHE_HOST: {
    what: "The host of a GitHub Enterprise Server, or of a tenant of ghe.com. Not set = github.com.",
    example: "github.example.com",
  },
  GHE_PROTOCOL: { what: "The protocol of a GitHub Enterprise Server." },
  TRAINYARD_GITHUB_API_VERSION: { what: "The version of GitHub's REST API that requests use." },
  APP_ID: { what: "The id of the GitHub App.", example: "123456" },
  PRIVATE_KEY: {
    what: "The private key of the GitHub App: PEM, with escaped line breaks or in base64.",
  },
  PRIVATE_KEY_PATH: { what: "The file with the private key.", example: "/run/secrets/private-key.pem" },
  WEBHOOK_SECRET: { what: "The webhook secret of the GitHub App." },
  WEBHOOK_SECRET_PREVIOUS: { what: "The previous webhook secret, which is also accepted during a rotation." },
  GITHUB_CLIENT_ID: {
    what: "The client id of the GitHub App, with which people sign in to the dashboard.",
    example: "Iv23liAbCdEfGhIjKlMn",
  },
  GITHUB_CLIENT_SECRET: { what: "The client secret of the GitHub App." },
  TRAINYARD_COMMAND_PREFIX: { what: "The word that commands in comments begin with.", example: "/queue" },
  TRAINYARD_SUBMIT_LABEL: { what: "The label that submits pull requests." },
  TRAINYARD_TEST_BRANCH_PREFIX: {
    what: "The prefix of the names of test branches. No other branch may use it.",
  },
  TRAINYARD_SCRATCH_BRANCH_PREFIX: {
    what: "The prefix of the names of branches on which test commits are created. No other branch may use it.",
  },
  TRAINYARD_DASHBOARD: {
    what: "`token`: the dashboard asks for an API token. `public`: anyone who reaches it can read it.",
  },
  TRAINYARD_MCP: {
    what: "Which tools `/mcp` offers to coding agents: `read`, `write` = also those that change something, `off` = none. The API token of the agent decides what they may do.",
  },
  TRAINYARD_PUBLIC_PAGES: {
    what: "`true`: anyone may read the pages of queues in public repositories, unless `publicPage` of a queue is false. They show the whole past of the queue, also of the time when the repository was private. The set-up asks for it.",
  },
  TRAINYARD_COMMANDS: {
    what: "`elsewhere`: another service of the same App looks for lost commands.",
  },
  TRAINYARD_COMMANDS_SINCE: {
    what: "Commands from before this time are not carried out when they are found later. For the start after a restore.",
    example: "2030-01-31T12:00:00Z",
  },
  TRAINYARD_API_URL: {
    what: "The queue's address, for a bot that runs in another process than the queue. Needs `TRAINYARD_API_TOKEN`.",
    example: "https://queue.example.com",
  },
  TRAINYARD_API_TOKEN: { what: "The API token for `TRAINYARD_API_URL`." },
  TRAINYARD_RATE_LIMIT: { what: "API requests per second of one organisation. 0 = no limit." },
  TRAINYARD_TRUSTED_PROXIES: {
    what: "Proxies whose `x-forwarded-for` is trusted: addresses or networks, separated by commas.",
    example: "10.0.0.0/8,loopback",
  },
  TRAINYARD_CORS_ORIGINS: {
    what: "Origins whose pages may call the API, separated by commas. `*` = all.",
    example: "https://ci.example.com",
  },
  TRAINYARD_CONTENT_PER_MINUTE: {
    what: "The most comments and merges per minute on GitHub. 0 = no limit. Not set = 80, or no limit on an Enterprise Server.",
    example: "80",
  },
  TRAINYARD_CONTENT_PER_HOUR: {
    what: "The most comments and merges per hour on GitHub. 0 = no limit. Not set = 500, or no limit on an Enterprise Server.",
    example: "500",
  },
  TRAINYARD_AUDIT_DAYS: { what: "How long the audit log is kept, in days." },
  TRAINYARD_HISTORY_DAYS: {
    what: "How long pull requests and test runs that have ended are kept, in days. The log of a queue stays.",
  },
  TRAINYARD_TEST_RETENTION_DAYS: { what: "How long test results are kept, in days." },
  TRAINYARD_RECONCILE_MS: {
    what: "How often GitHub is read for changes that no webhook reported, in milliseconds.",
  },
  TRAINYARD_PUBLISH_MS: {
    what: "How long changes are collected before checks and comments are updated, in milliseconds.",
  },
  TRAINYARD_MERGEABILITY_MS: {
    what: "How long the service waits before it asks GitHub again whether a pull request can be merged, in milliseconds.",
  },
  TRAINYARD_LEASE_MS: {
    what: "How long a worker that shows no activity keeps a task before another worker takes it, in milliseconds.",
  },
  TRAINYARD_ENCRYPTION_KEY: {
    what: "Encrypts webhook secrets in the database: 32 random bytes in base64, as `openssl rand -base64 32` makes them.",
  },
  TRAINYARD_ENCRYPTION_KEY_PREVIOUS: { what: "The previous encryption key. It decrypts only." },
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: {
    what: "Whether webhooks may be sent to private addresses and over plain HTTP.",
  },
  TRAINYARD_WEBHOOK_PORTS: {
    what: "The ports that webhooks may be sent to, separated by commas, or `any`. Not set = 443, or `any` with `TRAINYARD_WEBHOOK_ALLOW_PRIVATE`.",
    example: "443,8443",
  },
  TRAINYARD_WEBHOOK_RETENTION_DAYS: { what: "How long delivered webhooks are kept, in days." },
  TRAINYARD_OIDC: { what: "Whether tokens of GitHub Actions are accepted instead of an API token." },
  TRAINYARD_OIDC_ISSUER: { what: "The issuer of these tokens. Not set = that of the GitHub host." },
  TRAINYARD_OIDC_KEYS_URL: { what: "The address of the issuer's public keys. Not set = below the issuer." },
  TRAINYARD_OIDC_AUDIENCE: { what: "The audience of these tokens. Not set = `TRAINYARD_PUBLIC_URL`." },
};

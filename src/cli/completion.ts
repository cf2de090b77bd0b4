import { Argument, type Command, type Option } from "commander";

const scripts = { bash: renderBash, zsh: renderZsh, fish: renderFish } as const;
type Shell = keyof typeof scripts;

/** Adds what `trainyard completion` does: it prints a script that completes the commands of the tree. */
export function defineCompletion(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      `
For the current shell, and for later ones in its start-up file:
  bash: source <(trainyard completion bash)
  zsh:  source <(trainyard completion zsh)
  fish: trainyard completion fish | source`,
    )
    .action((shell: Shell) => {
      if (command.parent) console.log(scripts[shell](placesOf(command.parent)));
    });
}

/** A command with the words that can follow it. */
interface Place {
  /** The words after `trainyard`, each after a space. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly options: readonly Option[];
}

interface Word {
  readonly text: string;
  readonly about: string;
}

function placesOf(command: Command, path = ""): readonly Place[] {
  const children = command.commands.filter((child) => !("_hidden" in child && child._hidden));
  const options = command.options.filter(({ hidden }) => !hidden);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [
    ...children.map((child) => ({ text: child.name(), about: child.description() })),
    ...choices.map((text) => ({ text, about: "" })),
    ...options.map(({ long, description }) => ({ text: long ?? "", about: description })),
    { text: "--help", about: "display help for command" },
  ];
  return [
    { path, words, options },
    ...children.flatMap((child) => placesOf(child, `${path} ${child.name()}`)),
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The options that take a value, with their possible values. After other options, the shell completes files. */
function valuesOf(places: readonly Place[]): readonly (readonly [key: string, values: readonly string[]])[] {
  return places.flatMap(({ path, options }) =>
    options
      .filter(({ required }) => required)
      .map(({ long, argChoices = [] }) => [`${path} ${long}`, argChoices] as const),
  );
}

/** Shell code for bash and zsh that sets `place` to the command before the word that is being completed. */
function renderWalk(places: readonly Place[], words: string): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => quote(path));
  return `  local place="" word
  for word in ${words}; do
    case "$place $word" in
      ${paths.join("|")}) place="$place $word" ;;
    esac
  done`;
}

function renderBash(places: readonly Place[]): string {
  const values = valuesOf(places).map(
    ([key, choices]) =>
      `    ${quote(key)}) COMPREPLY=($(compgen ${choices.length > 0 ? `-W ${quote(choices.join(" "))}` : "-f"} -- "$current")); return ;;`,
  );
  const words = places.map(
    ({ path, words }) => `    ${quote(path)}) words=${quote(words.map(({ text }) => text).join(" "))} ;;`,
  );
  return `# bash completion of trainyard
_trainyard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=""
${renderWalk(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$place $previous" in
${values.join("\n")}
  esac
  case "$place" in
${words.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _trainyard trainyard`;
}

function renderZsh(places: readonly Place[]): string {
  const values = valuesOf(places).map(
    ([key, choices]) =>
      `    ${quote(key)}) ${choices.length > 0 ? `compadd -- ${choices.map(quote).join(" ")}` : "_files"}; return ;;`,
  );
  const described = ({ text, about }: Word) => quote(`${text}:${about.replaceAll(":", "\\:")}`);
  const words = places.map(
    ({ path, words }) => `    ${quote(path)}) entries=(${words.map(described).join(" ")}) ;;`,
  );
  return `#compdef trainyard
_trainyard() {
  local -a entries
${renderWalk(places, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$place \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$place" in
${words.join("\n")}
  esac
  _describe trainyard entries || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _trainyard trainyard`;
}

function renderFish(places: readonly Place[]): string {
  const cases = places
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      case ${quote(path)}\n        set place "$place $word"`);
  const lines = places.flatMap(({ path, words, options }) => {
    const at = `complete -c trainyard -n ${quote(`test "$(__trainyard_place)" = "${path}"`)}`;
    const others = words.filter(({ text }) => !text.startsWith("--"));
    return [
      ...others.map(({ text, about }) => `${at} -f -a ${quote(text)} -d ${quote(about)}`),
      ...options.map(({ long = "", description, required, argChoices = [] }) =>
        [
          `${at} -l ${long.slice(2)} -d ${quote(description)}`,
          ...(required ? ["-r"] : []),
          ...(argChoices.length > 0 ? [`-f -a ${quote(argChoices.join(" "))}`] : []),
        ].join(" "),
      ),
    ];
  });
  return `# fish completion of trainyard
function __trainyard_place
  set -l place ""
  for word in (commandline -opc)[2..]
    switch "$place $word"
${cases.join("\n")}
    end
  end
  echo "$place"
end
complete -c trainyard -l help -d 'display help for command'
${lines.join("\n")}`;
}

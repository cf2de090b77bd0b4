# The Node.js of package.json. docs/how-to/installing.md says how to renew the digest.
FROM node:24.21.0-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

FROM base AS build
WORKDIR /trainyard
COPY package.json package-lock.json .npmrc ./
# Only builds of packages need install scripts, and this build needs none of them.
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-package.ts && npm prune --omit=dev --ignore-scripts
# With --omit=dev, npm leaves out packages that development packages need, too.
RUN npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

FROM base
WORKDIR /app
COPY --from=build /trainyard/package.json /trainyard/sbom.cdx.json ./
COPY --from=build /trainyard/scripts/require-node.js scripts/
COPY --from=build /trainyard/bin bin
COPY --from=build /trainyard/lib lib
COPY --from=build /trainyard/node_modules node_modules
RUN mkdir /data && chown node:node /data

# The user "node". Kubernetes verifies only numbers.
USER 1000:1000
# The database, and the file .env that the set-up writes. Everything else may be read-only.
WORKDIR /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/trainyard.db
EXPOSE 3000
HEALTHCHECK --start-period=60s CMD ["node", "/app/bin/trainyard.js", "health"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "/app/bin/trainyard.js"]
CMD ["serve"]

ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trainyard"
LABEL org.opencontainers.image.description="A self-hosted merge queue and flaky-test service for GitHub"
LABEL org.opencontainers.image.licenses="MIT"
LABEL org.opencontainers.image.version="0.1.0"
LABEL org.opencontainers.image.revision="$REVISION"

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Only builds of packages need install scripts, and this build needs none of them.
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-package.ts && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/scripts/require-node.js scripts/
COPY --from=build /build/bin bin
COPY --from=build /build/lib lib
COPY --from=build /build/node_modules node_modules
RUN mkdir /data && chown node:node /data

USER node
# The database, and the file .env that the set-up writes. Everything else may be read-only.
WORKDIR /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/trainyard.db
EXPOSE 3000
HEALTHCHECK --start-period=60s CMD ["node", "/app/bin/trainyard.js", "health"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "/app/bin/trainyard.js"]
CMD ["serve"]

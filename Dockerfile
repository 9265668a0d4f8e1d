# syntax=docker/dockerfile:1

# The service in a container: docs/deployment.md says how to run it.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# What is installed depends on these files alone, so that a change of the code installs nothing anew.
COPY package.json package-lock.json .npmrc ./
COPY test/client/package.json test/client/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.testing.json ./
COPY tools/build.js tools/
COPY vendor vendor
COPY src src
COPY test/kit test/kit
RUN npm run build
# The Node of the image is the one that runs here: the one that comes with the install can go.
RUN npm prune --omit=dev --omit=optional --ignore-scripts
RUN mkdir data

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY vendor vendor
COPY docs/api-changelog.md docs/
COPY --from=build --chown=node:node --chmod=700 /app/data /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/store-orders.db
USER node
VOLUME /data
EXPOSE 3000
# Alive is what a container has to be. Whether it takes requests is what a load balancer asks /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Stopped by SIGTERM, it answers what is under way; it is done in less than the ten seconds that
# Docker gives it.
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "dist/main.js"]
CMD ["serve"]

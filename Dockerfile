# syntax=docker/dockerfile:1

# The image of the service: see docs/deployment.md.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# The install depends on these files only, so a change of the code reuses its layer.
COPY package.json package-lock.json .npmrc ./
COPY test/client/package.json test/client/
COPY test/kit/package.json test/kit/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.testing.json ./
COPY tools/build.js tools/
COPY vendor vendor
COPY src src
COPY test/kit test/kit
RUN npm run build
# The image's own Node runs the service, so the Node of the install is removed.
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
# Files that have no setting, or none that was set, are in ./data: on the volume, too.
RUN ln -s /data data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/store-orders.db
USER node
VOLUME /data
EXPOSE 3000
# Liveness only: load balancers check readiness at /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# After SIGTERM it completes the requests in flight and ends, within Docker's default of ten seconds.
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "dist/main.js"]
CMD ["serve"]

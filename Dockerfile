# Built in one image, run in another: compilers and development tools stay behind.
FROM node:22-bookworm-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY drivers ./drivers
RUN npm ci
COPY . .
RUN npm run build

# The emulated platforms, for trying everything without an account (`docker compose --profile try up`).
FROM build AS emulators
USER node
CMD ["node", "--import", "tsx", "test/emulators/try.ts"]

FROM build AS production
RUN npm prune --omit=dev

FROM node:22-bookworm-slim AS gateway
ENV NODE_ENV=production \
  HERMES_HOME=/data
WORKDIR /app
COPY --from=production /app/package.json /app/CHANGELOG.md /app/LICENSE ./
COPY --from=production /app/node_modules ./node_modules
COPY --from=production /app/assets ./assets
COPY --from=production /app/config ./config
COPY --from=production /app/dist ./dist
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/cli/hermes.js"]
CMD ["gateway", "--host", "0.0.0.0"]

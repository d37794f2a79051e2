# Weft in a container: docker build -t weft .   See docs/operations.md.
FROM node:24-bookworm AS build
WORKDIR /weft
COPY . .
RUN npm ci && npm run prepack && npm prune --omit=dev

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Weft" org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 WEFT_DATA_DIR=/data
WORKDIR /weft
COPY --from=build /weft/package.json /weft/LICENSE ./
COPY --from=build /weft/node_modules ./node_modules
COPY --from=build /weft/dist ./dist
RUN mkdir /data && chown node:node /data
# All files belong to root and are read-only for this user.
USER node
VOLUME /data
EXPOSE 8080
# Draining takes up to 10 s: use `docker stop --time 20`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/v1/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "dist/weft.js"]
CMD ["start"]

// Preloaded into the reading process: reports its CPU time (ms) and its highest memory (KiB) when it exits.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(`cpu=${Math.round((userCPUTime + systemCPUTime) / 1000)} rss=${maxRSS}\n`);
});

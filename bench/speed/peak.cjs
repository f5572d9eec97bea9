// Preloaded into a program that is measured: what it needed at its largest, said at its end.
process.on('exit', () => {
  process.stderr.write(`${JSON.stringify({ rssMb: process.resourceUsage().maxRSS / 1024 })}\n`);
});

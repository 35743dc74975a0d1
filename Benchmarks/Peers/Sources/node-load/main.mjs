// GET requests with the `fetch` of Node.js, whose bodies are decoded. Takes the options of the other programs
// and prints the same line of JSON as their `Outcome`.

const options = new Map();
for (let index = 3; index + 1 < process.argv.length; index += 2) {
  options.set(process.argv[index], process.argv[index + 1]);
}
const number = (name) => Number(options.get(name) ?? 0);
const address = options.get("--url");
const headers = {
  "Accept-Encoding": "br, gzip, deflate",
  "Accept-Language": "en-001",
  "User-Agent": "benchmark (Debian GNU/Linux 12 bookworm) Catena",
  "Accept": "application/json",
};

async function gets(count) {
  let [next, failures] = [0, 0];
  async function lane() {
    while (next < count) {
      const response = await fetch(`${address}boards/${next++}`, { headers });
      const board = response.ok ? await response.json() : undefined;
      if (board?.id !== 7) failures += 1;
    }
  }
  await Promise.all(Array.from({ length: number("--at-once") || 1 }, lane));
  return failures;
}

await gets(number("--warm-up"));
const resident = process.memoryUsage().rss;
const cpu = process.cpuUsage();
const start = process.hrtime.bigint();
const requests = number("--requests");
const failures = await gets(requests);
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const { user, system } = process.cpuUsage(cpu);
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({
  requests, failures, seconds, cpuSeconds: (user + system) / 1e6, instructions: 0, peakBytes,
  growthBytes: Math.max(peakBytes - resident, 0),
}));
process.exit(failures === 0 ? 0 : 1);

import { readFileSync, readdirSync } from 'node:fs';
import { activate, startFloors } from './throughput.ts';
import { newDataDir, startService } from './service.ts';
import { workloads } from './workloads.ts';
import { load } from './wrk.ts';
const floors = await startFloors();
const w = workloads(floors.upstream).find((x) => x.name === 'W1')!;
const on = (u: string, connections: number, seconds: number) => load({ url: u, body: w.body, connections, seconds });
const service = await startService(newDataDir()); const { url } = await activate(service, w);
const floorPid = Number(readdirSync('/proc').filter((p) => /^\d+$/.test(p)).find((p) => { try { return readFileSync(`/proc/${p}/cmdline`, 'utf8').includes('floor.mjs'); } catch { return false; } }));
const times = (pid: number) => readdirSync(`/proc/${pid}/task`).map((t) => ({ t, name: readFileSync(`/proc/${pid}/task/${t}/comm`, 'utf8').trim(), ns: Number(readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').split(' ')[0]), sw: Number(/voluntary_ctxt_switches:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/task/${t}/status`, 'utf8'))![1]) }));
async function cost(pid: number, u: string, c: number) {
  const a = new Map(times(pid).map((x) => [x.t, x])); const f = await on(u, c, 4); 
  const lines = times(pid).map((x) => ({ name: x.name, us: (x.ns - (a.get(x.t)?.ns ?? 0)) / 1000 / f.requests, sw: (x.sw - (a.get(x.t)?.sw ?? 0)) / f.requests })).filter((x) => x.us > 0.5 || x.sw > 0.02);
  console.log(c, Math.round(f.perSecond), 'p50', f.p50, lines.map((l) => `${l.name} ${l.us.toFixed(1)}us sw ${l.sw.toFixed(2)}`).join(' | '));
}
try {
  await on(floors.f2, 50, 2); await on(url, 50, 10);
  const { spawn } = await import('node:child_process'); for (const spin of [false, true, false, true]) { const kids = spin ? [0, 1].map(() => spawn('chrt', ['-i', '0', 'bash', '-c', 'while :; do :; done'])) : []; console.log('spin', spin); for (const c of [1]) { await cost(floorPid, floors.f2, c); await cost(service.child.pid!, url, c); } for (const k of kids) k.kill('SIGKILL'); }
} finally { await service.stop(); await floors.stop(); }

/** Reads a trace for whatever would change the machine rather than the service's own files. */
import { basename } from "node:path";

/** What the watch has to be told by strace. */
export const watchedCalls = [
  "clock_settime,clock_adjtime,settimeofday,adjtimex,reboot,sethostname,mount,umount2,swapoff,init_module",
  "open,openat,openat2,creat,execve,execveat,connect,truncate,unlink,unlinkat,rename,renameat,renameat2",
].join();

const clockOrPower =
  /^(clock_settime|settimeofday|reboot|sethostname|mount|umount2|swapoff|init_module)\(|^(clock_adjtime|adjtimex)\(.*modes=(?!0)/;
const writes =
  /^(open|openat|openat2)\(.*"([^"]*)".*(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)|^(creat|truncate)\("([^"]*)"/;
const removes = /^(?:unlink|unlinkat|rename|renameat|renameat2)\(/;
const runs = /^execve(?:at)?\((?:[^"]*)"([^"]*)"/;
const localSocket = /^connect\(.*AF_UNIX.*sun_path="([^"]*)"/;

export interface Allowed {
  /** Folders, and files, that the service may write. */
  paths: readonly string[];
  programs: readonly string[];
}

/** Every call that is not allowed; attempts that failed count too, since elsewhere they would succeed. */
export function offences(trace: readonly string[], { paths, programs }: Allowed): string[] {
  const own = (path: string) => paths.some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
  return trace
    .map((line) => line.replace(/^\d+ +/, ""))
    .filter((line) => {
      const written = writes.exec(line);
      if (written) return !own(written[2] ?? written[5] ?? "");
      if (removes.test(line)) return ![...line.matchAll(/"([^"]*)"/g)].every(([, path]) => own(path ?? ""));
      const run = runs.exec(line);
      if (run) return !programs.includes(basename(run[1] ?? ""));
      return clockOrPower.test(line) || localSocket.test(line);
    });
}

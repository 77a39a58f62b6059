/** Figures for `/metrics`. Whoever has one adds how to read it; nothing is computed until somebody asks. */
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

type Read = () => number | readonly Sample[];

export interface Histogram {
  observe(seconds: number): void;
}

type Kind = "gauge" | "counter" | "histogram";
interface Figure {
  name: string;
  help: string;
  kind: Kind;
  samples(): { metricName?: string; labels: Readonly<Record<string, string | number>>; value: number }[];
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Metrics {
  readonly #figures = new Map<string, Figure>();
  #lag: ReturnType<typeof monitorEventLoopDelay> | undefined;

  /** A value that goes up and down. A later source of the same name replaces the earlier. */
  gauge(name: string, help: string, read: Read): void {
    this.#add("gauge", name, help, read);
  }

  /** A value that only grows. */
  counter(name: string, help: string, read: Read): void {
    this.#add("counter", name, help, read);
  }

  #add(kind: Kind, name: string, help: string, read: Read): void {
    const samples = () => {
      const now = read();
      if (typeof now === "number") return [{ labels: {}, value: now }];
      return now.map(({ labels = {}, value }) => ({ labels, value }));
    };
    this.#figures.set(name, { name: `minaret_${name}`, help, kind, samples });
  }

  /** Counts times in buckets; an observation is one addition. */
  histogram(name: string, help: string): Histogram {
    const counts = new Float64Array(bounds.length + 1);
    let sum = 0;
    const full = `minaret_${name}`;
    const samples = () => {
      let total = 0;
      const buckets = [...bounds, "+Inf"].map((le, i) => {
        total += counts[i] ?? 0;
        return { metricName: `${full}_bucket`, labels: { le }, value: total };
      });
      const totals = { sum, count: total };
      const rest = (["sum", "count"] as const).map((part) => ({
        metricName: `${full}_${part}`,
        labels: {},
        value: totals[part],
      }));
      return [...buckets, ...rest];
    };
    this.#figures.set(name, { name: full, help, kind: "histogram", samples });
    return {
      observe(seconds) {
        let i = 0;
        while (i < bounds.length && seconds > bounds[i]!) i++;
        counts[i]! += 1;
        sum += seconds;
      },
    };
  }

  /** The text format of Prometheus. The library is loaded at the first call: most processes are never asked. */
  async text(): Promise<string> {
    const { Registry } = await import("prom-client");
    const registry = new Registry();
    this.#lag ??= startLag();
    this.gauge("loop_lag_seconds", "delay of the event loop since the last reading", () => this.#readLag());
    this.gauge("resident_bytes", "resident memory", () => process.memoryUsage.rss());
    this.gauge("heap_bytes", "heap in use", () => process.memoryUsage().heapUsed);
    this.gauge("uptime_seconds", "time since the start", () => process.uptime());
    for (const figure of this.#figures.values()) registry.registerMetric(asMetric(figure) as never);
    return registry.metrics();
  }

  close(): void {
    this.#lag?.disable();
  }

  #readLag(): Sample[] {
    const lag = this.#lag!;
    const read = (quantile: string, nanoseconds: number) => ({
      labels: { quantile },
      value: Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0,
    });
    const samples = [read("0.5", lag.percentile(50)), read("0.99", lag.percentile(99)), read("1", lag.max)];
    lag.reset();
    return samples;
  }
}

function startLag() {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  return lag;
}

function asMetric({ name, help, kind, samples }: Figure) {
  const get = async () => ({ name, help, type: kind, aggregator: "sum", values: samples() });
  return { name, help, get, reset() {} };
}

import { defineConfig } from "vitest/config";

const ci = process.env.CI === "true";

export default defineConfig({
  // Silent persistence mistakes of XState are errors in its development build.
  ssr: { resolve: { conditions: ["development", "node", "import", "default"] } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    execArgv: ["-C", "development"],
    reporters: [ci ? "dot" : "default", "./test/reporter.ts"],
    // The real parts share two noisy cores with others there; what needed a second try is named at the end.
    retry: ci ? 2 : 0,
  },
});

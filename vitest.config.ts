import { defineConfig } from "vitest/config";

export default defineConfig({
  // Silent persistence mistakes of XState are errors in its development build.
  ssr: { resolve: { conditions: ["development", "node", "import", "default"] } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    execArgv: ["-C", "development"],
  },
});

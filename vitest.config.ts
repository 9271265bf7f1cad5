import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{src,ports,adapters,hosts,property-tests,scripts}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2
  }
})

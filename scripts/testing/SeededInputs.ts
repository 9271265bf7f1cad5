/** Starts every property of a run from the run's seed. Without one, fast-check draws a seed for each. */
import * as fc from "fast-check"
import { runSeed } from "./Seed.ts"

const seed = runSeed()
if (seed !== undefined) fc.configureGlobal({ seed })

/**
 * The seed of what tests draw by chance. In `npm test` it derives from the tree, so that CI tries the inputs that the
 * same tree has already tried elsewhere, and each commit tries different ones. A long run has none and draws anew.
 * CAUSEWAY_SEED selects another: `CAUSEWAY_SEED=7 npm test -- src/domain/money`.
 */
import { spawnSync } from "node:child_process"

/** The variable that tells a run's workers their seed: a positive integer below 2^31. */
export const RUN_SEED = "CAUSEWAY_SEED"

/** Of the last commit's tree. Without a repository, as in an installed package, always the same. */
export const seedOfTree = (root: string): number => {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" })
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) + 1 : 1
}

/** The seed of this run, if it has one. */
export const runSeed = (): number | undefined => {
  const text = process.env[RUN_SEED]
  return text === undefined || text === "" ? undefined : Number(text)
}

/** For a suite that cannot leave the drawing of a seed to fast-check. */
export const anySeed = (): number => runSeed() ?? Math.floor(Math.random() * 2 ** 31)

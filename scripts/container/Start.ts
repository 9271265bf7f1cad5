/**
 * Starts a built image as its user, with nothing of this process's environment: what an engine would do. Needs root.
 */
import { spawn } from "node:child_process"
import type { ChildProcess, StdioOptions } from "node:child_process"
import type { Built } from "./Build.ts"

export const start = (
  built: Built,
  environment: Readonly<Record<string, string>>,
  stdio: StdioOptions
): ChildProcess => {
  const { entrypoint, programs, user: { gid, uid }, workdir } = built
  const as = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--no-new-privs",
    "--inh-caps=-all",
    "--bounding-set=-all"
  ]
  return spawn("setpriv", [...as, ...entrypoint], {
    cwd: workdir,
    env: { PATH: `${programs}:/usr/bin:/bin`, ...built.environment, ...environment },
    stdio
  })
}

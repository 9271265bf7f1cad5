import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { choose } from "../Ports.ts"
import { generate } from "../state/Keys.ts"
import { packageRoot, pathsBelow } from "../state/Paths.ts"
import { environmentOf, oracleEnvironmentOf } from "./TransferEnvironment.ts"
import { variableFiles } from "./VariableFiles.ts"

const namesOf = (text: string) => text.split("\n").flatMap((line) => /^#?([A-Z_]+)=/u.exec(line)?.[1] ?? [])

describe("the variables of services of one's own", () => {
  it.effect("are in the file of deploy/env that names them, so no process has another's secrets", () =>
    Effect.gen(function*() {
      const keys = yield* generate
      const ports = yield* choose
      const files = variableFiles({
        transfer: environmentOf(pathsBelow(), ports, keys),
        oracle: oracleEnvironmentOf(ports, keys),
        transferUrl: "http://127.0.0.1:3001",
        accounts: keys.accounts
      })
      // The variables of the chains file are in no example.
      const ofChains = ["ALPHA_RPC_URL", "BETA_RPC_URL", "HUB_RPC_URL", "HUB_ALLOCATOR"]
      for (const name of ["transfer.env", "worker.env", "oracle.env"] as const) {
        const example = namesOf(readFileSync(`${packageRoot}/deploy/env/${name}.example`, "utf8"))
        const own = namesOf(files[name])
        assert.isNotEmpty(own)
        assert.includeMembers([...example, ...ofChains], own, name)
      }
      assert.notInclude(files["transfer.env"], "DATABASE_URL")
      assert.include(files["client.env"], keys.accounts[0] ?? "no key")
    }))
})

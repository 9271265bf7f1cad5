import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { families } from "../families.ts"
import { oracleVariablesOf } from "../oracle/config/Environment.ts"
import { variablesOf } from "../transfer/config/Environment.ts"
import { editDistance, misspelled, warnOfMisspellings } from "./Misspellings.ts"

const known = variablesOf(families).map(({ name }) => name)

describe("a misspelled variable", () => {
  it("has one letter wrong, missing, added or exchanged", () => {
    assert.deepStrictEqual(["PORT", "PROT", "POT", "PORTS", "SORT"].map((name) => editDistance(name, "PORT")), [
      0,
      1,
      1,
      1,
      1
    ])
    assert.deepStrictEqual(
      misspelled(["SOLVER_PRIVAT_KEY", "DATABSE_URL", "admin_token", "PATH", "HOME", "LANG"], known),
      [
        { name: "SOLVER_PRIVAT_KEY", meant: "SOLVER_PRIVATE_KEY" },
        { name: "DATABSE_URL", meant: "DATABASE_URL" },
        { name: "admin_token", meant: "ADMIN_TOKEN" }
      ]
    )
  })

  it("is not reported when the variable that it resembles is set, and no variable of one service looks like one of the other", () => {
    assert.deepStrictEqual(misspelled(["DATABSE_URL", "DATABASE_URL"], known), [])
    const oracle = oracleVariablesOf(families).map(({ name }) => name)
    assert.deepStrictEqual([...misspelled(known, oracle), ...misspelled(oracle, known)], [])
  })

  it.effect("is reported by its name, also one of the chains file, and never by its value", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const told = Logger.layer([Logger.make(({ message }) => {
        lines.push(String(message))
      })])
      yield* Effect.provide(
        warnOfMisspellings(known, {
          ENVIRONMENT: "local",
          ALPHA_RPC_ULR: "http://secret",
          BETA_RPC_URL: "http://secret"
        }),
        told
      )
      assert.deepStrictEqual(lines, [
        "ALPHA_RPC_ULR is not a variable of this service, and ALPHA_RPC_URL is not set: is it a misspelling?"
      ])
    }))
})

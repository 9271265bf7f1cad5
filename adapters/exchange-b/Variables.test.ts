/** What a transfer service is told about exchange B: all of it where a chain is served, and never repeated in a message. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { readTransfer } from "./Variables.ts"

const secret = "5c".repeat(40)
const whole = {
  EXCHANGEB_SOLVER_PRIVATE_KEY: `0x${"5e".repeat(32)}`,
  EXCHANGEB_SOLVER_ACCOUNT: "1100",
  EXCHANGEB_SOLVER_API_KEYS: `4:0x${secret}, 5:${secret.toUpperCase()}`,
  EXCHANGEB_DEPOSITORY_TOKEN: "ro:1000:single:4102444800:0b0b"
}

const readWhere = (served: string | undefined, environment: Readonly<Record<string, string>>) =>
  readTransfer(served).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))
  )
const readFrom = (environment: Readonly<Record<string, string>>) => readWhere("exchangeb", environment)

describe("the variables of exchange B", () => {
  it.effect("are the account, its keys and the token; API keys with or without 0x", () =>
    Effect.gen(function*() {
      const settings = yield* readFrom({ ...whole, EXCHANGEB_TRANSFER_FEE: "300000" })
      assert.deepStrictEqual(
        settings?.apiKeys.map(({ index, privateKey }) => [index, Redacted.value(privateKey)]),
        [[4, `0x${secret}`], [5, `0x${secret}`]]
      )
      assert.deepInclude(settings, {
        account: 1_100,
        transferFee: 300_000n,
        allowance: { _tag: "Requests", perMinute: 60 }
      })
      const premium = yield* readFrom({ ...whole, EXCHANGEB_WEIGHT_PER_MINUTE: "24000" })
      assert.deepStrictEqual(premium?.allowance, { _tag: "Weight", perMinute: 24_000 })
      assert.isUndefined((yield* readFrom(whole))?.transferFee)
    }))

  it.effect("are not needed while no chain is served, and all missing ones are named where one is", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* readWhere(undefined, {}))
      const { message } = yield* Effect.flip(readFrom({ EXCHANGEB_SOLVER_ACCOUNT: "1100" }))
      for (const name of Object.keys(whole)) {
        assert.strictEqual(message.includes(`${name} is missing: exchangeb`), name !== "EXCHANGEB_SOLVER_ACCOUNT", name)
      }
    }))

  it.effect("are refused by name, without their value, where they are wrong", () =>
    Effect.gen(function*() {
      const wrong = {
        EXCHANGEB_SOLVER_PRIVATE_KEY: ["0x00", secret],
        EXCHANGEB_SOLVER_ACCOUNT: ["0", "-1", "1.5", "x"],
        EXCHANGEB_SOLVER_API_KEYS: [
          secret,
          `4:${secret}00`,
          `255:${secret}`,
          `4:${secret},4:${secret}`,
          `4:${secret},`
        ],
        EXCHANGEB_DEPOSITORY_TOKEN: [`${secret} ${secret}`],
        EXCHANGEB_TRANSFER_FEE: ["10000001", "-1", "0.5"],
        EXCHANGEB_REQUESTS_PER_MINUTE: ["59", "many"],
        EXCHANGEB_WEIGHT_PER_MINUTE: ["23999", "many"]
      }
      for (const [name, values] of Object.entries(wrong)) {
        for (const value of values) {
          const { message } = yield* Effect.flip(readFrom({ ...whole, [name]: value }))
          assert.include(message, `${name} is not valid`, value)
          assert.notInclude(message, secret)
        }
      }
    }))
})

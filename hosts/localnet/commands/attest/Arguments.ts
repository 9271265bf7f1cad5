/** The arguments of `npm run attest`, checked against the running network. */
import { Result, Schema } from "effect"
import type { Command } from "effect/cli"
import { randomBytes } from "node:crypto"
import { Hex32, Hex32FromString } from "../../../../src/domain/encoding/Hex.ts"
import { amountOf, hubOf, refusing } from "../demo/ArgumentValues.ts"
import { maybe } from "../../../cli/Program.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { AttestPlan } from "./Attest.ts"
import { depositChains } from "./Depositing.ts"

export const usage = "npm run attest -- --chain bitcoin-local [--amount 0.01] [--id 0x…]"

const fail = refusing(usage)

export const flags = {
  chain: maybe("chain", "where it is deposited"),
  amount: maybe("amount", "how much; 0.01 unless given, on exchangeb-local 1"),
  id: maybe("id", "the order; one that nobody knows unless given")
} as const

export type Asked = Command.Command.Config.Infer<typeof flags>

/** The chains that are off by default, and the flag that starts each. */
const flagOf: Readonly<Record<string, string>> = {
  "bitcoin-local": "--with-bitcoin",
  "tron-local": "--with-tron",
  "exchangea-local": "--with-exchange-a",
  "exchangeb-local": "--with-exchange-b"
}

const decodeId = Schema.decodeUnknownResult(Hex32FromString)

/** The requested deposit: in native currency, for a random order unless `--id` names one. */
export const plan = (values: Asked, localnet: Localnet): Result.Result<AttestPlan, LocalnetError> =>
  Result.gen(function*() {
    const chains = depositChains(localnet)
    const names = chains.map(({ id }) => id).join(", ")
    if (values.chain === undefined) return yield* fail(`--chain is missing: one of ${names}`)
    const chain = chains.find(({ id }) => id === values.chain)
    const flag = flagOf[values.chain]
    if (chain === undefined && flag !== undefined) {
      return yield* fail(`this network runs without ${values.chain}: stop it and run npm start -- ${flag}`)
    }
    if (chain === undefined) return yield* fail(`--chain ${values.chain} is none of the chains: ${names}`)
    const amount = yield* amountOf(values.amount ?? chain.usual ?? "0.01", chain.currency, fail)
    const id = values.id === undefined
      ? Hex32.make(`0x${randomBytes(32).toString("hex")}`)
      : yield* decodeId(values.id).pipe(Result.orElse(() => fail(`--id ${values.id} is not 0x and 64 hex digits`)))
    const [submitter] = localnet.accounts
    if (submitter === undefined) return yield* fail("the network has no account")
    return {
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      chain,
      amount,
      id,
      submitter: submitter.privateKey
    }
  })

import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { programs } from "../evidence/Programs.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { chains, evmAddress, solana, solanaPayer, solanaUsdc, solanaUser } from "../../../quote/testing/Chains.ts"
import { answer, now, settlement, solver } from "../../../quote/testing/SignedQuotes.ts"
import { Quote } from "../../../quote/wire/Quote.ts"
import type { SolanaTransactionData } from "../SolanaTransactionData.ts"
import { verifySolanaSteps } from "./VerifySolanaSteps.ts"
import { verifyQuote } from "../../../quote/verify/VerifyQuote.ts"

type Instruction = SolanaTransactionData["instructions"][number]

const native = {
  user: solanaUser,
  recipient: evmAddress("22"),
  originChainId: solana.id,
  destinationChainId: 2,
  originCurrency: solana.native.address,
  destinationCurrency: chains[1]!.native.address,
  amount: "1000000000",
  tradeType: "EXACT_INPUT",
  includeProtocolData: true
}
const token = { ...native, originCurrency: solanaUsdc.address, amount: "100000000" }

const cases: ReadonlyArray<readonly [what: string, body: object, opens: boolean, instructions: number]> = [
  ["SOL", native, false, 1],
  [
    "SOL whose fees another pays, with a limit of units",
    { ...native, depositFeePayer: solanaPayer, includeComputeUnitLimit: true },
    true,
    2
  ],
  ["a token", token, false, 1],
  ["a token whose account the user's deposit opens", token, true, 1],
  [
    "a token whose account the payer of the fees opens, with a limit of units",
    { ...token, depositFeePayer: solanaPayer, includeComputeUnitLimit: true },
    true,
    3
  ]
]

const dataOf = ({ steps: [step] }: Quote): SolanaTransactionData => {
  const data = step?.items[0]?.data
  if (data === undefined || !("instructions" in data)) throw new Error("no Solana transaction")
  return data
}

const withData = (quote: Quote, data: object): unknown => ({
  ...quote,
  steps: quote.steps.map((step) => ({ ...step, items: step.items.map((item) => ({ ...item, data })) }))
})

const at = <A>(all: ReadonlyArray<A>, index: number, change: (one: A) => ReadonlyArray<A>): ReadonlyArray<A> =>
  all.flatMap((one, each) => each === index ? change(one) : [one])

const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))

/** What an attacker would add: a payment to itself from the user's accounts, an allowance, a compute price, a memo. */
const foreign: ReadonlyArray<Instruction> = [
  {
    programId: programs.system,
    keys: [{ pubkey: solanaUser, isSigner: true, isWritable: true }, {
      pubkey: solanaPayer,
      isSigner: false,
      isWritable: true
    }],
    data: "020000000100000000000000"
  },
  {
    programId: programs.token,
    keys: [{ pubkey: solanaUser, isSigner: true, isWritable: false }],
    data: "04ffffffffffffffff"
  },
  { programId: programs.computeBudget, keys: [], data: "03ffffffffffffffff" },
  { programId: programs.computeBudget, keys: [], data: "02400d0300" },
  { programId: programs.memo, keys: [], data: "6869" }
]

describe("verifyQuote, for a deposit on Solana", () => {
  for (const [what, body, opens, count] of cases) {
    const quote = Schema.decodeUnknownSync(Quote)(answer(body, opens))
    const data = dataOf(quote)
    const expected = { chains, solver, settlement, now }
    const verified = (changed: object) => verifyQuote(withData(quote, { ...data, ...changed }), body, expected)
    // Verifies the steps alone. The other checks of a quote take longer and do not look at instructions.
    const deposit = {
      request: Result.getOrThrow(resolveRequest(Schema.decodeUnknownSync(QuoteRequest)(body), chains)),
      orderId: OrderId.make(`0x${quote.protocol?.v2.orderId.slice(2) ?? ""}`),
      amount: BigInt(quote.protocol?.v2.paymentDetails.amount ?? 0),
      least: 0n
    }
    const isRefused = (instructions: ReadonlyArray<Instruction>) =>
      verifySolanaSteps(Schema.decodeUnknownSync(Quote)(withData(quote, { ...data, instructions })).steps, deposit)
        .some(({ outcome }) => outcome === "failed")
    const refused = (instructions: ReadonlyArray<Instruction>, why: string) =>
      assert.isTrue(isRefused(instructions), why)

    it(`accepts ${what}`, () => {
      const { checks, ok } = verified({})
      assert.deepStrictEqual(checks.filter(({ outcome }) => outcome !== "ok"), [])
      assert.isTrue(ok)
      assert.lengthOf(data.instructions, count)
    })

    it(`detects a change of every byte, account, role and program in ${what}`, () => {
      for (const [which, instruction] of data.instructions.entries()) {
        const instead = (changes: Partial<Instruction>, why: string) =>
          refused(at(data.instructions, which, () => [{ ...instruction, ...changes }]), `${which} ${why}`)
        const bytes = Buffer.from(instruction.data, "hex")
        for (let byte = 0; byte < bytes.length; byte += 1) {
          const other = Buffer.from(bytes)
          other.writeUInt8((other[byte] ?? 0) ^ (1 << byte % 8), byte)
          instead({ data: other.toString("hex") }, `byte ${byte}`)
        }
        instead({ data: `${instruction.data}00` }, "longer")
        instead({ data: instruction.data.slice(0, -2) }, "shorter")
        for (const [place, key] of instruction.keys.entries()) {
          for (
            const changed of [{ isSigner: !key.isSigner }, { isWritable: !key.isWritable }, {
              pubkey: solanaPayer === key.pubkey ? solanaUser : solanaPayer
            }, { pubkey: "" }]
          ) {
            instead(
              { keys: at(instruction.keys, place, () => [{ ...key, ...changed }]) },
              `key ${place} ${JSON.stringify(changed)}`
            )
          }
          instead({ keys: at(instruction.keys, place, () => []) }, `without key ${place}`)
          instead({ keys: at(instruction.keys, place, () => [key, key]) }, `key ${place} twice`)
        }
        fc.assert(
          fc.property(anyAddress, fc.nat(), (pubkey, any) => {
            const place = any % Math.max(1, instruction.keys.length)
            const known = instruction.keys[place]
            if (known !== undefined && known.pubkey !== pubkey) {
              instead({ keys: at(instruction.keys, place, (key) => [{ ...key, pubkey }]) }, `${pubkey} at ${place}`)
            }
            if (instruction.programId !== pubkey) instead({ programId: pubkey }, pubkey)
          }),
          { numRuns: inputs(20, 2_000) }
        )
      }
    })

    it(`detects what was added to ${what}, removed, or moved`, () => {
      for (const [which, instruction] of data.instructions.entries()) {
        // If the vault's account is already open, the fee payer opens nothing.
        assert.strictEqual(
          isRefused(at(data.instructions, which, () => [])),
          instruction.programId !== programs.associatedToken,
          `without ${which}`
        )
        refused(at(data.instructions, which, () => [instruction, instruction]), `${which} twice`)
        for (const added of foreign) {
          refused(at(data.instructions, which, () => [added, instruction]), JSON.stringify(added))
          refused(at(data.instructions, which, () => [instruction, added]), JSON.stringify(added))
        }
      }
      assert.isFalse(verified({ instructions: [...data.instructions, ...foreign] }).ok)
      if (count > 1) refused(data.instructions.toReversed(), "the other way round")
      refused([], "nothing")
      assert.isFalse(verified({ addressLookupTableAddresses: [solanaUser] }).ok)
      for (const feePayer of [solanaUser, solanaPayer, evmAddress("22")]) {
        assert.strictEqual(verified({ feePayer }).ok, feePayer === data.feePayer)
      }
      const { feePayer: _, ...unsaid } = data
      assert.isFalse(verifyQuote(withData(quote, unsaid), body, expected).ok)
      assert.isFalse(verifyQuote({ ...quote, steps: [...quote.steps, ...quote.steps] }, body, expected).ok)
    })

    it(`detects another depository in ${what}`, () => {
      const elsewhere = chains.map((chain) => chain.id === solana.id ? { ...chain, depository: solanaPayer } : chain)
      assert.isFalse(verifyQuote(quote, body, { ...expected, chains: elsewhere }).ok)
    })
  }

  it("detects a fee payer that was not requested, and a requested one that does not pay", () => {
    const expected = { chains, solver, settlement, now }
    const paid = { ...token, depositFeePayer: solanaPayer }
    assert.isFalse(verifyQuote(answer(paid, true), token, expected).ok)
    assert.isFalse(verifyQuote(answer(token, true), paid, expected).ok)
    assert.isFalse(verifyQuote(answer({ ...token, includeComputeUnitLimit: true }), token, expected).ok)
  })
})

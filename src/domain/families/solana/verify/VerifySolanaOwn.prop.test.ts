import { addressCodec } from "../../index.ts"
import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import type { Chain } from "../../../chain/Chain.ts"
import type { Address } from "../../../chain/Address.ts"
import { programs } from "../evidence/Programs.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import {
  chains as plain,
  evmAddress,
  solana as known,
  solanaPayer,
  solanaUsdc,
  solanaUser
} from "../../../quote/testing/Chains.ts"
import { answer, now, settlement, solanaDepositAddress, solver } from "../../../quote/testing/SignedQuotes.ts"
import { swapProgram, wrappedSol } from "../../../quote/testing/SolanaSteps.ts"
import { Quote } from "../../../quote/wire/Quote.ts"
import type { SolanaTransactionData } from "../SolanaTransactionData.ts"
import { verifyQuote } from "../../../quote/verify/VerifyQuote.ts"
import { verifySolanaSteps } from "./VerifySolanaSteps.ts"

type Instruction = SolanaTransactionData["instructions"][number]
type Instructions = ReadonlyArray<Instruction>

const parsed = (text: string): Address => Result.getOrThrow(addressCodec("solana-vm").parse(text))

const solana: Chain = {
  ...known,
  depositAddresses: { keys: "derived" },
  swaps: {
    wrapped: parsed(wrappedSol),
    through: [],
    sources: [{ id: "jupiter", router: parsed(swapProgram) }],
    currencies: []
  }
}
const chains = plain.map((chain) => chain.id === solana.id ? solana : chain)
const expected = { chains, solver, settlement, now }

const within = {
  user: solanaUser,
  recipient: solanaPayer,
  originChainId: solana.id,
  destinationChainId: solana.id,
  originCurrency: solana.native.address,
  destinationCurrency: solana.native.address,
  amount: "1000000000",
  tradeType: "EXACT_INPUT",
  includeProtocolData: true
}
const token = { originCurrency: solanaUsdc.address, destinationCurrency: solanaUsdc.address, amount: "100000000" }
const beyond = {
  recipient: evmAddress("22"),
  destinationChainId: 2,
  destinationCurrency: plain[1]!.native.address,
  useDepositAddress: true,
  refundTo: solanaUser
}
const limited = { includeComputeUnitLimit: true }

/** `left`: the checks that cannot be made from the quote alone. */
const cases: ReadonlyArray<readonly [what: string, body: object, opens: boolean, left: ReadonlyArray<string>]> = [
  ["a send of SOL", within, false, []],
  ["a send of a token, with a limit of units", { ...within, ...token, ...limited }, false, []],
  ["a send of a token to who has no account", { ...within, ...token }, true, []],
  ["SOL to a deposit address", { ...within, ...beyond }, false, ["deposit address"]],
  [
    "a token to a deposit address, with a limit of units",
    { ...within, ...beyond, ...limited, originCurrency: solanaUsdc.address, amount: "100000000" },
    false,
    ["deposit address"]
  ],
  [
    "a token to a deposit address, whose fees another pays",
    { ...within, ...beyond, originCurrency: solanaUsdc.address, amount: "100000000", depositFeePayer: solanaPayer },
    false,
    ["deposit address"]
  ],
  ["a swap of SOL, for somebody else", { ...within, ...limited, destinationCurrency: solanaUsdc.address }, false, [
    "swap 0 route"
  ]],
  [
    "a swap for exactly so much SOL",
    {
      ...within,
      ...token,
      recipient: solanaUser,
      destinationCurrency: solana.native.address,
      amount: "5000000",
      tradeType: "EXACT_OUTPUT"
    },
    false,
    ["swap 0 route"]
  ]
]

const dataOf = ({ steps: [step] }: Quote): SolanaTransactionData => {
  const data = step?.items[0]?.data
  if (data === undefined || !("instructions" in data)) throw new Error("no Solana transaction")
  return data
}

const withStep = (quote: Quote, change: (step: Quote["steps"][number]) => object): unknown => ({
  ...quote,
  steps: quote.steps.map(change)
})

const withData = (quote: Quote, data: object): unknown =>
  withStep(quote, (step) => ({ ...step, items: step.items.map((item) => ({ ...item, data })) }))

const at = <A>(all: ReadonlyArray<A>, index: number, change: (one: A) => ReadonlyArray<A>): ReadonlyArray<A> =>
  all.flatMap((one, each) => each === index ? change(one) : [one])

const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))

/**
 * What an attacker would add: a payment to itself from the user's accounts, an allowance, a closed account, a compute
 * price, a memo.
 */
const foreign: Instructions = [
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
  {
    programId: programs.token,
    keys: [solanaUser, solanaPayer, solanaUser].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: "09"
  },
  { programId: programs.computeBudget, keys: [], data: "03ffffffffffffffff" },
  { programId: programs.memo, keys: [], data: "6869" }
]

const isLimit = ({ programId }: Instruction): boolean => programId === programs.computeBudget

const flipped = (data: string, byte: number, bit: number): string =>
  data.slice(0, 2 * byte) +
  (Number.parseInt(data.slice(2 * byte, 2 * byte + 2), 16) ^ (1 << bit)).toString(16).padStart(2, "0") +
  data.slice(2 * byte + 2)

describe("verifyQuote, for transactions that a Solana user executes alone, and for its deposit addresses", () => {
  for (const [what, body, opens, left] of cases) {
    const quote = Schema.decodeUnknownSync(Quote)(answer(body, opens, chains))
    const data = dataOf(quote)
    const request = Result.getOrThrow(resolveRequest(Schema.decodeUnknownSync(QuoteRequest)(body), chains))
    const [paid] = Schema.decodeUnknownSync(
      Schema.Struct({
        output: Schema.Struct({ payments: Schema.Array(Schema.Struct({ minimumAmount: Schema.String })) })
      })
    )(quote.protocol?.v2.orderData).output.payments
    const payment = {
      request,
      orderId: OrderId.make(`0x${quote.protocol?.v2.orderId.slice(2) ?? ""}`),
      amount: BigInt(quote.protocol?.v2.paymentDetails.amount ?? 0),
      least: BigInt(paid?.minimumAmount ?? 0)
    }
    const failures = (answered: unknown) =>
      verifyQuote(answered, body, expected).checks.filter(({ outcome }) => outcome === "failed")
    const isRefused = (instructions: Instructions) =>
      verifySolanaSteps(Schema.decodeUnknownSync(Quote)(withData(quote, { ...data, instructions })).steps, payment)
        .some(({ outcome }) => outcome === "failed")
    const refused = (instructions: Instructions, why: string) => assert.isTrue(isRefused(instructions), why)
    const swaps = left.includes("swap 0 route")

    it(`accepts ${what}, and lists what it cannot verify`, () => {
      const { checks, ok } = verifyQuote(quote, body, expected)
      assert.deepStrictEqual(checks.filter(({ outcome }) => outcome === "failed"), [])
      assert.deepStrictEqual(checks.filter(({ outcome }) => outcome === "unchecked").map(({ name }) => name), [...left])
      assert.strictEqual(ok, left.length === 0)
    })

    it(`detects a change of every byte that matters in ${what}`, () => {
      for (const [which, instruction] of data.instructions.entries()) {
        for (let byte = 0; byte < instruction.data.length / 2; byte += 1) {
          // A lower compute limit costs the user nothing.
          if (isLimit(instruction) && byte > 0) continue
          // A smaller amount into the user's own account of wrapped SOL does no harm.
          if (swaps && instruction.programId === programs.system && instruction.keys.length === 2 && byte >= 4) continue
          // Of the tail, only changes to the user's disadvantage are wrong, and those are tested below. Only the
          // program can read the data before it.
          if (instruction.programId === String(swapProgram) && byte >= 8) continue
          refused(
            at(data.instructions, which, (each) => [{ ...each, data: flipped(each.data, byte, byte % 8) }]),
            `byte ${byte} of ${which}`
          )
        }
        refused(
          at(data.instructions, which, (each) => [{ ...each, data: each.data.slice(2) }]),
          `a byte less in ${which}`
        )
      }
    })

    it(`detects a change of every account, role and program that matters in ${what}`, () => {
      for (const [which, instruction] of data.instructions.entries()) {
        const instead = (changed: Partial<Instruction>) =>
          at(data.instructions, which, (each) => [{ ...each, ...changed }])
        const isCall = instruction.programId === String(swapProgram)
        for (const [place, key] of instruction.keys.entries()) {
          // Source and target of the swap must match. Only the swap program can interpret the other accounts.
          const isFree = isCall && !(key.isWritable && place >= 2 && place <= 3)
          if (!isFree) {
            const other = key.pubkey === solanaPayer ? solanaUser : solanaPayer
            refused(
              instead({ keys: at(instruction.keys, place, (each) => [{ ...each, pubkey: other }]) }),
              `key ${place} of ${which}`
            )
            // Some instructions name the rent sysvar and some do not.
            if (instruction.data !== "11" || place === 0) {
              refused(instead({ keys: at(instruction.keys, place, () => []) }), `without key ${place} of ${which}`)
            }
          }
          // No other account may be a signer, in any instruction.
          if (key.pubkey !== solanaUser && key.pubkey !== request.depositFeePayer) {
            refused(
              instead({ keys: at(instruction.keys, place, (each) => [{ ...each, isSigner: true }]) }),
              `key ${place} of ${which} signs`
            )
          }
        }
        fc.assert(fc.property(anyAddress, (programId) => isRefused(instead({ programId }))), {
          numRuns: inputs(5, 1_000)
        })
      }
    })

    it(`detects what was added to ${what}, and what was left out`, () => {
      for (const [which, instruction] of data.instructions.entries()) {
        for (const added of foreign) {
          refused(at(data.instructions, which, () => [added, instruction]), `before ${which}: ${JSON.stringify(added)}`)
        }
        if (!swaps && instruction.programId !== programs.associatedToken) {
          refused(at(data.instructions, which, () => []), `without ${which}`)
        }
      }
      for (const added of foreign) refused([...data.instructions, added], `in the end: ${JSON.stringify(added)}`)
      refused([], "nothing")
      refused([...data.instructions, ...data.instructions], "everything twice")
      for (const feePayer of [solanaUser, solanaPayer]) {
        assert.strictEqual(failures(withData(quote, { ...data, feePayer })).length === 0, feePayer === data.feePayer)
      }
      if (!swaps) assert.isNotEmpty(failures(withData(quote, { ...data, addressLookupTableAddresses: [solanaUser] })))
      assert.isNotEmpty(failures({ ...quote, steps: [...quote.steps, ...quote.steps] }))
      assert.isFalse(verifyQuote(withStep(quote, (step) => ({ ...step, id: "approve" })), body, expected).ok)
    })

    it(`detects another depository, and another request, in ${what}`, () => {
      const elsewhere = chains.map((chain) => chain.id === solana.id ? { ...chain, depository: solanaPayer } : chain)
      assert.isFalse(verifyQuote(quote, body, { ...expected, chains: elsewhere }).ok)
      for (const change of [{ amount: "77" }, { user: solanaDepositAddress }, { recipient: evmAddress("99") }]) {
        assert.isTrue(
          verifyQuote(quote, { ...body, ...change }, expected).checks.some(({ outcome }) => outcome === "failed"),
          JSON.stringify(change)
        )
      }
    })
  }

  const tampered = (body: object, change: (data: SolanaTransactionData) => object) => {
    const quote = Schema.decodeUnknownSync(Quote)(answer(body, false, chains))
    return verifyQuote(withData(quote, change(dataOf(quote))), body, expected).checks.filter(({ outcome }) =>
      outcome === "failed"
    ).map(({ name }) => name)
  }

  it("detects an invalid deposit address, and money that goes to another one than is shown", () => {
    const body = { ...within, ...beyond }
    const quote = Schema.decodeUnknownSync(Quote)(answer(body, false, chains))
    const shown = (depositAddress: string | undefined) =>
      verifyQuote(withStep(quote, (step) => ({ ...step, depositAddress })), body, expected).checks.filter((
        { outcome }
      ) => outcome === "failed")
    for (const address of [undefined, "", "none", solanaUser, programs.system, solana.depository, evmAddress("11")]) {
      assert.isNotEmpty(shown(address), address)
    }
    fc.assert(fc.property(anyAddress, (address) => shown(address).length > 0), { numRuns: inputs(5, 500) })
  })

  it("detects swap limits that are worse than the order's, fees for its maker, and lamports beyond the input", () => {
    const body = { ...within, destinationCurrency: solanaUsdc.address }
    const tail = (change: (view: DataView) => void) => ({ instructions, ...data }: SolanaTransactionData) => ({
      ...data,
      instructions: instructions.map((each) => {
        if (each.programId !== String(swapProgram)) return each
        const bytes = Buffer.from(each.data, "hex")
        change(new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 19, 19))
        return { ...each, data: bytes.toString("hex") }
      })
    })
    const give = (by: bigint) => tail((view) => view.setBigUint64(8, view.getBigUint64(8, true) + by, true))
    const take = (by: bigint) => tail((view) => view.setBigUint64(0, view.getBigUint64(0, true) + by, true))
    const slip = (by: number) => tail((view) => view.setUint16(16, view.getUint16(16, true) + by, true))
    assert.deepStrictEqual(tampered(body, (data) => data), [])
    assert.deepStrictEqual([give(1n), take(-1n), slip(-1)].flatMap((better) => tampered(body, better)), [])
    assert.deepStrictEqual(tampered(body, take(1n)), ["swap 0 takes"])
    assert.deepStrictEqual(tampered(body, give(-100n)), ["swap 0 gives"])
    assert.deepStrictEqual(tampered(body, slip(1)), ["swap 0 gives"])
    assert.isNotEmpty(tampered(body, tail((view) => view.setUint8(18, 1))))
    const wrapping = (by: bigint) => ({ instructions, ...data }: SolanaTransactionData) => ({
      ...data,
      instructions: instructions.map((each) =>
        each.programId !== programs.system || each.keys.length !== 2 ? each : {
          ...each,
          data: `02000000${Buffer.from(BigUint64Array.of(1_000_000_000n + by).buffer).toString("hex")}`
        }
      )
    })
    assert.deepStrictEqual(tampered(body, wrapping(-1n)), [])
    assert.deepStrictEqual(tampered(body, wrapping(1n)), ["swap 0 instructions"])
  })

  it("accepts any unit limit up to what the chain allows, and no greater one", () => {
    const body = { ...within, ...limited }
    const units = (count: number) =>
      tampered(body, ({ instructions, ...data }) => ({
        ...data,
        instructions: at(
          instructions,
          0,
          (each) => [{ ...each, data: `02${Buffer.from(Uint32Array.of(count).buffer).toString("hex")}` }]
        )
      }))
    assert.deepStrictEqual([1, 200_000, 1_400_000].flatMap(units), [])
    assert.deepStrictEqual([1_400_001, 4_294_967_295].map((count) => units(count).length > 0), [true, true])
  })
})

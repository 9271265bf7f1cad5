/** The laws of the calldata that credits an app balance (BALANCE-1), for any codec of it. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { CreditCall } from "../src/domain/ledger/CreditCalldata.ts"
import { ethereumAddresses } from "../src/domain/families/ethereum/EthereumAddresses.ts"
import { type Law, law, must } from "./Law.ts"

/** The credit codec under test. */
export interface CreditCodec<E> {
  readonly encode: (call: CreditCall) => Result.Result<string, E>
  readonly decode: (data: string) => Result.Result<CreditCall, E>
}

const account = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) =>
  Result.getOrThrow(ethereumAddresses.fromBytes(bytes))
)
const wallet = account.filter((address) => !/^0x0{40}$/.test(address))
const amount = fc.integer({ min: 0, max: 256 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))

const calls: fc.Arbitrary<CreditCall> = fc.record({
  solver: account,
  amount,
  credited: fc.oneof(
    fc.constant<CreditCall["credited"]>({ _tag: "Sender" }),
    wallet.map((wallet): CreditCall["credited"] => ({ _tag: "Wallet", wallet }))
  )
})

/** The same hex digits in another case. The prefix is unchanged. */
const recased = (text: string, upper: ReadonlyArray<boolean>): string =>
  text.split("").map((digit, at) => (at > 1 && upper[at % upper.length] === true ? digit.toUpperCase() : digit)).join(
    ""
  )

/** Valid calldata with one place changed, inserted or removed. Or arbitrary text. */
const nearly = (real: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.string({ unit: "binary", maxLength: 220 }),
    fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEFxX".split("")), maxLength: 300 }),
    fc.tuple(
      real,
      fc.nat(),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdefxg".split("")), maxLength: 2 }),
      fc.integer({ min: 0, max: 2 })
    )
      .map(([text, where, put, drop]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + drop)
      })
  )

const same = (a: CreditCall, b: CreditCall): boolean =>
  a.solver === b.solver && a.amount === b.amount && a.credited._tag === b.credited._tag &&
  (a.credited._tag === "Sender" || (b.credited._tag === "Wallet" && a.credited.wallet === b.credited.wallet))

/** The laws of credit calldata (BALANCE-1). */
export const creditCalldataLaws = <E>({ decode, encode }: CreditCodec<E>): ReadonlyArray<Law> => {
  const encoded = calls.map((call) => Result.getOrElse(encode(call), () => "0x"))
  return [
    law(
      "credit call data: exactly 100 bytes, and decode undoes encode",
      fc.property(calls, (call) => {
        const text = Result.getOrThrow(encode(call))
        must(/^0x[0-9a-f]{200}$/.test(text), "not 100 bytes in lower case")
        must(same(Result.getOrThrow(decode(text)), call), "decoded to another call")
      })
    ),
    law(
      "credit call data: the case of the digits does not matter",
      fc.property(calls, fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), (call, upper) => {
        must(
          same(Result.getOrThrow(decode(recased(Result.getOrThrow(encode(call)), upper))), call),
          "another case, another call"
        )
      })
    ),
    law(
      "credit call data: what is accepted has one canonical spelling; all else is an error and never a throw",
      fc.property(nearly(encoded), (text) => {
        const decoded = decode(text)
        if (Result.isSuccess(decoded)) {
          must(Result.getOrThrow(encode(decoded.success)) === text.toLowerCase(), "accepted another spelling")
        }
      })
    ),
    law(
      "credit call data: twenty zero bytes and nothing else mean the sender",
      fc.property(calls, (call) => {
        const zeros = Result.getOrThrow(encode(call)).slice(150, 190) === "0".repeat(40)
        must(zeros === (call.credited._tag === "Sender"), "zeros do not mean the sender")
      })
    )
  ]
}

/** Wallets on the simulated Tron chain. Each sends a transaction again until it is solidified or can never be executed. */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Deferred, Effect, Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { BLOCK_MS } from "../Terms.ts"
import { contract } from "./Terms.ts"
import type { TronKey } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { headOf, solidOf } from "./TronLedger.ts"
import { isSettled } from "./TronNodes.ts"
import { readTransaction, signedBy } from "./TronTransaction.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** As long as TronWeb gives a transaction, milliseconds. */
export const USUAL_LIFE_MS = 60_000
const FEE_LIMIT = 1_000_000n

const nothing = new Uint8Array(0)

/** 32 bytes for any text, so that users may name what is no order. */
const idOf = (memo: string): string =>
  /^0x[0-9a-f]{64}$/u.test(memo) ? memo.slice(2) : hexDigits(utf8ToBytes(memo)).slice(0, 64).padEnd(64, "0")

const word = (digits: string): string => digits.padStart(64, "0")

const trigger = (by: TronKey, called: Address, value: bigint, digits: string): RawData["act"] => ({
  _tag: "Trigger",
  owner: by.evm,
  contract: called,
  value,
  input: Hex.make(`0x${digits}`)
})

/** The call by which a user deposits TRX, as quotes ask for it. */
export const depositOf = (by: TronKey, amount: bigint, memo: string): RawData["act"] =>
  trigger(by, contract, amount, `49290c1c${word(by.evm.slice(2))}${idOf(memo)}`)

/** The calls by which a user deposits a token. USDT wants an allowance cleared before it is set again. */
export const tokenDepositOf = (
  by: TronKey,
  token: Address,
  amount: bigint,
  memo: string
): ReadonlyArray<RawData["act"]> => {
  const units = word(amount.toString(16))
  const approval = (digits: string) => trigger(by, token, 0n, `095ea7b3${word(contract.slice(2))}${digits}`)
  const deposit = `e8017952${word(by.evm.slice(2))}${word(token.slice(2))}${units}${idOf(memo)}`
  return [approval(word("")), approval(units), trigger(by, contract, 0n, deposit)]
}

/** A token's transfer to an account, with an order's id behind it, if there is one. */
export const tokenTransferOf = (by: TronKey, token: Address, to: Address, amount: bigint, memo = ""): RawData["act"] =>
  trigger(
    by,
    token,
    0n,
    `a9059cbb${word(to.slice(2))}${word(amount.toString(16))}${memo === "" ? "" : idOf(memo)}`
  )

export const transferOf = (by: TronKey, to: Address, amount: bigint): RawData["act"] => ({
  _tag: "Transfer",
  owner: by.evm,
  to,
  amount
})

interface Signed extends SentTransaction {
  readonly bytes: Uint8Array
}

/** Names the solidified block. `nth`: makes two transactions of one content different ones. */
export const signOn = (
  chain: TronChain,
  by: TronKey,
  act: RawData["act"],
  nth: number,
  lifeMs = USUAL_LIFE_MS
): Signed => {
  const { hash, height } = solidOf(chain.state())
  const bytes = signedBy(by, {
    act,
    memo: nothing,
    reference: { height: BigInt(height), hash },
    expiration: headOf(chain.state()).time + lifeMs,
    timestamp: 1_000 + nth,
    feeLimit: act._tag === "Trigger" ? FEE_LIMIT : 0n
  })
  const read = readTransaction(bytes)
  if (read === undefined) throw new Error("a transaction that was just signed cannot be read")
  return { ...read, bytes }
}

/** `isIn`: runs whenever a block has it. */
const sendUntil = (chain: TronChain, { bytes, expiration, id }: Signed, isIn: Effect.Effect<unknown>) =>
  Effect.gen(function*() {
    while (!isSettled(chain.state(), id, expiration)) {
      if (headOf(chain.state()).places.has(id)) yield* isIn
      Result.getOrUndefined(chain.send(bytes))
      yield* Effect.sleep(BLOCK_MS)
    }
  })

export const sendUntilSettled = (chain: TronChain, signed: Signed) => sendUntil(chain, signed, Effect.void)

/** A wallet signs again what expired before a block took it, as its owner would. */
export const payUntilSettled = (chain: TronChain, sign: () => Signed, isIn: Effect.Effect<unknown> = Effect.void) =>
  Effect.gen(function*() {
    for (let tries = 0; tries < 3; tries += 1) {
      const signed = sign()
      yield* sendUntil(chain, signed, isIn)
      if (headOf(chain.state()).places.has(signed.id)) return yield* Effect.asVoid(isIn)
    }
  })

/** Sends each as soon as a block has the one before it, as a wallet asks for one signature after the other. */
export const payInTurn = (
  chain: TronChain,
  [first, ...rest]: ReadonlyArray<RawData["act"]>,
  sign: (act: RawData["act"]) => Signed
): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (first === undefined) return
    const isIn = yield* Deferred.make<boolean>()
    const paid = payUntilSettled(chain, () => sign(first), Deferred.succeed(isIn, true))
    const next = Effect.flatMap(
      Deferred.await(isIn),
      (included) => included ? payInTurn(chain, rest, sign) : Effect.void
    )
    yield* Effect.all([Effect.andThen(paid, Deferred.succeed(isIn, false)), next], {
      concurrency: "unbounded",
      discard: true
    })
  })

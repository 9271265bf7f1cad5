/** Wallets on the simulated Tron chain. Each sends a transaction again until it is solidified or can never be executed. */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Result } from "effect"
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

/** The call by which a user deposits, as quotes ask for it. */
export const depositOf = (by: TronKey, amount: bigint, memo: string): RawData["act"] => ({
  _tag: "Trigger",
  owner: by.evm,
  contract,
  value: amount,
  input: Hex.make(`0x49290c1c${by.evm.slice(2).padStart(64, "0")}${idOf(memo)}`)
})

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

/** `isWanted`: false once the owner no longer wants it. */
export const sendUntilSettled = (chain: TronChain, { bytes, expiration, id }: Signed, isWanted = () => true) =>
  Effect.gen(function*() {
    while (!isSettled(chain.state(), id, expiration)) {
      if (isWanted()) Result.getOrUndefined(chain.send(bytes))
      yield* Effect.sleep(BLOCK_MS)
    }
  })

/** A wallet signs again what expired before a block took it, as its owner would. */
export const payUntilSettled = (chain: TronChain, sign: () => Signed) =>
  Effect.gen(function*() {
    for (let tries = 0; tries < 3; tries += 1) {
      const signed = sign()
      yield* sendUntilSettled(chain, signed)
      if (headOf(chain.state()).places.has(signed.id)) return
    }
  })

/**
 * Two workers over one PostgreSQL pay on Bitcoin at once, from one pool of coins: no coin is claimed twice, each order
 * is paid once, and the work of a killed worker is taken over.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import { coinName } from "../../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readStoredForm } from "../../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, quote } from "../../testing/Client.ts"
import { payByTwoWorkers } from "../../testing/TwoWorkers.ts"

const programs = requirePostgres()

/** More than there are coins, so that change is spent, too. */
const TRANSFERS = 14

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

describe.skipIf(programs === undefined)("two workers with Bitcoin over one PostgreSQL", () => {
  it.live("claim each coin once and pay each order once, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bitcoin, chains, environment, heldOnBitcoin, key, user } = yield* startBitcoinNetwork
      const begin = Effect.fnUntraced(function*(url: string, index: number) {
        const recipient = newAddress()
        const quoted = yield* quote(url, {
          user: user(index),
          recipient,
          originChainId: chains.alpha.chainId,
          destinationChainId: bitcoinChainId,
          originCurrency: "0x0000000000000000000000000000000000000000",
          destinationCurrency: BTC,
          amount: `${parseEther("0.1")}`,
          tradeType: "EXACT_INPUT"
        })
        return { quoted, recipient }
      })
      const { all, payments } = yield* payByTwoWorkers({
        environment,
        programs: programs ?? { initdb: "", pgCtl: "" },
        transfers: TRANSFERS,
        begin,
        pay: ({ quoted }, index) => execute(chains.alpha, key(index), quoted),
        mining: Effect.forever(Effect.delay(bitcoin.mine(), "300 millis"))
      })
      yield* bitcoin.mine(7)
      for (const { quoted, recipient } of all) {
        assert.lengthOf(bitcoin.chain.ledger.idsOf(recipient), 1)
        assert.strictEqual(heldOnBitcoin(recipient), BigInt(quoted.details.currencyOut.amount))
      }
      // No two payments were ever signed for one coin.
      const coins = payments.flatMap((raw) => readStoredForm(raw)?.form.inputs.map(coinName) ?? [])
      assert.lengthOf(payments, TRANSFERS)
      assert.isAtLeast(coins.length, TRANSFERS)
      assert.lengthOf(new Set(coins), coins.length)
    })))
})

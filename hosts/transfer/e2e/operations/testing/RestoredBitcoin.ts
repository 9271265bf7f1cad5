/** A network with Bitcoin whose store is backed up and restored, and transfers to and from Bitcoin for it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { readStoredForm } from "../../../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { bitcoinChainId } from "../../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { rowsBeside } from "../../../testing/BesideStore.ts"
import { bitcoinAddressFor, payBitcoin } from "../../../testing/BitcoinAddressed.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../../testing/BitcoinNetwork.ts"
import { execute, quote, reader } from "../../../testing/Client.ts"
import { slowingBlocks } from "../../../testing/SlowingBlocks.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

/** Satoshi that a deposit address is paid. */
export const SOME = 5_000_000n

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** The network, and transfers that are quoted before a backup and paid after it. */
export const startRestored = Effect.gen(function*() {
  const network = yield* startBitcoinNetwork
  const { bitcoin, chains, environment, fresh, heldOnBitcoin, key, user, wallet } = network
  /** Ether for bitcoin, quoted. */
  const fill = Effect.fnUntraced(function*(url: string, index: number) {
    const recipient = newAddress()
    const quoted = yield* quote(url, {
      user: user(index),
      recipient,
      originChainId: chains.alpha.chainId,
      destinationChainId: bitcoinChainId,
      originCurrency: NATIVE,
      destinationCurrency: BTC,
      amount: `${parseEther("0.5")}`,
      tradeType: "EXACT_INPUT"
    })
    return {
      quoted,
      recipient,
      amount: BigInt(quoted.details.currencyOut.amount),
      pay: execute(chains.alpha, key(index), quoted)
    }
  })
  /** Bitcoin that is returned, quoted. */
  const refund = Effect.fnUntraced(function*(url: string) {
    const [recipient, sender] = [newAddress(), yield* wallet("P2WPKH", 9_000_000n)]
    const quoted = yield* quoteBitcoin(
      url,
      fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo: recipient
      })
    )
    return { quoted, recipient, pay: deposited(bitcoin, sender, quoted) }
  })
  /** Bitcoin that is sent to a deposit address, quoted, and the payment that makes its sweep due. */
  const addressed = Effect.fnUntraced(function*(url: string, changes: object = {}) {
    const [recipient, refundTo] = [fresh(), newAddress()]
    const made = yield* bitcoinAddressFor(
      url,
      fromBitcoin({ address: newAddress() }, recipient, [chains.alpha.chainId, NATIVE], SOME, { refundTo, ...changes })
    )
    return {
      ...made,
      recipient,
      refundTo,
      pay: (amount: bigint) =>
        Effect.andThen(payBitcoin(bitcoin, made.depositAddress, amount), bitcoin.mine(FINAL_AFTER + 1)),
      /** Its transactions: what came, and what spent it. */
      transactions: Effect.sync(() => bitcoin.chain.ledger.idsOf(made.depositAddress).length)
    }
  })
  const mining = slowingBlocks(bitcoin.mine())
  const store = environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""
  /** The bytes of the newest payment in the store. */
  const newestPayment = Effect.map(
    rowsBeside(network.store, "SELECT raw FROM payments ORDER BY signed_at DESC LIMIT 1"),
    ([row]) => readStoredForm(String(row?.["raw"]))?.form ?? assert.fail("no payment is stored")
  )
  return {
    ...network,
    addressed,
    etherOf: (account: Hex) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })),
    fill,
    refund,
    newestPayment,
    backup: join(dirname(store), "backups", "one.db"),
    whileMining: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.raceFirst(body, mining),
    arrivals: (recipient: string) => [bitcoin.chain.ledger.idsOf(recipient).length, heldOnBitcoin(recipient)] as const
  }
})

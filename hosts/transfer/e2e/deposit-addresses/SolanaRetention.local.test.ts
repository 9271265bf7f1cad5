/**
 * A derived deposit address keeps its key when its unpaid quote is dropped: later money there is refunded (ADDRESS-16).
 */
import { assert, it } from "@effect/vitest"
import { address } from "@solana/kit"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { reindex } from "../../testing/Addressed.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { paySolana, solanaAddressFor } from "../../testing/SolanaAddressed.ts"
import { solanaBalances } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { ETH } from "../../testing/Tokens.ts"

const MS = 40 * 24 * 3_600_000

/** Moves a store's content forty days into the past. */
const age = (url: string) =>
  changeBeside(url, (store) => {
    for (const { id, order_json } of store.prepare("SELECT id, order_json FROM transfers").all()) {
      const older = String(order_json).replaceAll(/"deadline":(\d+)/g, (_, deadline: string) =>
        `"deadline":${Number(deadline) - MS / 1000}`)
      store.prepare("UPDATE transfers SET order_json = ?, quoted_at = quoted_at - ? WHERE id = ?").run(
        older,
        MS,
        id ?? ""
      )
    }
    store.exec(`UPDATE deposit_addresses SET created_at = created_at - ${MS}, touched_at = touched_at - ${MS}`)
  })

it.live("money at a derived address after its quote was dropped is returned, native and token", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, solana, solanaUsers: [user, payer], startInstance } = yield* startSolanaNetwork(100, 8)
    if (user === undefined || payer === undefined) return assert.fail("no users")
    const before = yield* startInstance()
    const refundTo = keyOfSeed(new Uint8Array(randomBytes(32))).address
    const { depositAddress, requestId } = yield* solanaAddressFor(before.url, {
      user: user.address,
      recipient: "0x000000000000000000000000000000000000d0a3",
      refundTo,
      originChainId: SOLANA_CHAIN,
      destinationChainId: chains.beta.chainId,
      originCurrency: SOL,
      destinationCurrency: ETH.address,
      amount: "500000000",
      tradeType: "EXACT_INPUT"
    })
    yield* before.stop
    yield* age(environment["DATABASE_URL"] ?? "")

    const { url } = yield* startInstance({ DROPPED_ADDRESS_REFUNDS_USD: "1000" })
    yield* eventually(
      "its quote is dropped",
      get(`${url}/deposit-addresses?requestId=${requestId}`),
      ({ status }) => status === 404
    )
    yield* paySolana(solana.url, payer, depositAddress, undefined, 500_000_000n)
    yield* paySolana(solana.url, payer, depositAddress, usdc, 25_000_000n)
    const answer = yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress })
    assert.deepInclude(answer.json(), { message: "2 withdrawals queued" })
    const ata = yield* Effect.promise(() => tokenAccount(address(refundTo), usdc.address, usdc.program))
    const back = yield* eventually(
      "both are back",
      solanaBalances(solana.url, refundTo, ata),
      ({ lamports, tokens }) => lamports > 0n && tokens > 0n
    )
    assert.isTrue(
      back.lamports > 490_000_000n && back.lamports < 500_000_000n && back.tokens > 24_000_000n &&
        back.tokens < 25_000_000n,
      `${back.lamports} ${back.tokens}`
    )
  })))

/**
 * Kills a host around the sweep of a deposit address on Solana: whatever it had signed, the balance is deposited and
 * delivered once.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keyOfSeed } from "../../../../localnet/nodes/solana/node/LocalKey.ts"
import { solanaChainId } from "../../../../localnet/nodes/solana/SolanaChain.ts"
import { requestsOf } from "../../../testing/Addressed.ts"
import { alarms } from "../../../testing/Misbehaving.ts"
import { paySolana, solanaAddressFor } from "../../../testing/SolanaAddressed.ts"
import { endedAnywhere, solanaBalances } from "../../../testing/SolanaClient.ts"
import { SOL } from "../../../testing/SolanaNetwork.ts"
import type { startSolanaNetwork } from "../../../testing/SolanaNetwork.ts"
import { ETH, held } from "../../../testing/Tokens.ts"
import { untilKilled } from "./InjectCrash.ts"

/** Where the host is killed, and whether its signed transaction can still be executed when the next host starts. */
export type SweepCrashpoint = readonly [failpoint: string, fate: "lives" | "expires"]

/** Every place of a sweep. */
export const sweepCrashpoints: ReadonlyArray<SweepCrashpoint> = [
  ["Payments.signOnce sweep:after", "lives"],
  ["Payments.signOnce sweep:after", "expires"],
  ["Payments.recordSent sweep:before", "lives"]
]

/** Lamports that are paid to each address. */
const PAID = 500_000_000n

type Network = Effect.Success<ReturnType<typeof startSolanaNetwork>>

const addressOf = (seed: number): string => keyOfSeed(new Uint8Array(32).fill(seed)).address

/** No host may be running. */
export const injectSweepCrashes = Effect.fnUntraced(
  function*(
    { chains, solana, solanaUsers: [user, payer], startHost }: Network,
    places: ReadonlyArray<SweepCrashpoint>
  ) {
    if (user === undefined || payer === undefined) return yield* Effect.die(new Error("no such users"))
    // A host that returns after the price hold makes a new price. Without a base fee it is the same price, so the
    // received amount can be checked to the unit.
    yield* chains.beta.request("anvil_setNextBlockBaseFeePerGas", ["0x0"])
    for (const [index, [failpoint, fate]] of places.entries()) {
      const place = `${failpoint} ${fate}`
      const recipient = `0x${(0xd6_0000 + index).toString(16).padStart(40, "0")}` as const
      const refundTo = addressOf(0xd0 + index)
      const doomed = yield* startHost({ FAILPOINT: failpoint })
      const { depositAddress, quoted } = yield* solanaAddressFor(doomed.url, {
        user: user.address,
        recipient,
        refundTo,
        originChainId: solanaChainId,
        destinationChainId: chains.beta.chainId,
        originCurrency: SOL,
        destinationCurrency: ETH.address,
        amount: `${PAID}`,
        tradeType: "EXACT_INPUT"
      })
      yield* paySolana(solana.url, payer, depositAddress, undefined, PAID)
      yield* untilKilled(doomed, place)
      if (fate === "expires") yield* solana.mine(160)
      const successor = yield* startHost()
      assert.strictEqual((yield* endedAnywhere(successor.url, quoted)).status, "success", place)
      // Enough time for any other signed transaction to be executed, if there were one.
      yield* solana.mine(5)
      assert.strictEqual(yield* held(chains.beta, ETH, recipient), BigInt(quoted.details.currencyOut.amount), place)
      for (const account of [depositAddress, refundTo]) {
        assert.strictEqual((yield* solanaBalances(solana.url, account)).lamports, 0n, place)
      }
      assert.lengthOf(yield* requestsOf(successor.url, depositAddress), 1)
      for (const alarm of ["sweep-refused", "sequence-used-by-another"]) {
        assert.strictEqual(yield* alarms(successor.url, alarm), 0, `${place} ${alarm}`)
      }
      yield* successor.kill("SIGKILL")
    }
  }
)

/** Kills a host at named places of a permit, one place after the other, and checks every permit at the end. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { reader } from "../../../testing/Client.ts"
import { spawnHost } from "../../../testing/HostProcess.ts"
import {
  itemOf,
  permitEnded,
  permitRequest,
  postSignature,
  quotePermit,
  signItem
} from "../../../testing/PermitClient.ts"
import { held, USDC } from "../../../testing/Tokens.ts"
import { startNetwork } from "../../../testing/TransferNetwork.ts"
import { killedBy, placesOf, telling, toldBy } from "./InjectCrash.ts"

/**
 * Learns the places of a permit, crashes at the `chosen` ones, and checks at the end that each permit was executed
 * once: the signed amount has left the user once, and has arrived once.
 */
export const injectPermitCrashes = (chosen: (place: string) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startHost, startInstance } = yield* startNetwork
    const { alpha, beta } = chains
    const key = chains.users[0] ?? "0x"
    const user = privateKeyToAccount(key).address
    const recipientAt = (at: number) => toHex(0xfe_0000_0000n + BigInt(at), { size: 20 })
    const quoteAt = Effect.fnUntraced(function*(url: string, at: number) {
      const { quoted } = yield* quotePermit(
        url,
        permitRequest(user, alpha, beta, USDC, { recipient: recipientAt(at), permitExpiry: 7_200 })
      )
      const item = itemOf(quoted)
      return { quoted, item, signature: yield* signItem(key, item) }
    })
    const before = yield* held(alpha, USDC, user)

    const { places, target } = yield* Effect.scoped(Effect.gen(function*() {
      const host = yield* startHost(telling)
      const first = yield* quoteAt(host.url, 0)
      assert.strictEqual((yield* postSignature(host.url, first.item, first.signature)).status, 200)
      yield* permitEnded(host.url, first.item)
      const places = placesOf(
        toldBy(host),
        (place) => /PermitSubmissions|permit|Treasury\.broadcast/.test(place) && chosen(place)
      )
      // Quoted by a running host, and signed before any crash.
      return { places, target: yield* Effect.forEach(places, (_, at) => quoteAt(host.url, at + 1)) }
    }))

    for (const [at, place] of places.entries()) {
      const { item, signature } = target[at] ?? assert.fail(`no quote for ${place}`)
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* spawnHost("transfer", { ...environment, FAILPOINT: place })
        yield* killedBy(host, place, postSignature(host.url, item, signature))
      }))
    }

    const { url } = yield* startInstance()
    for (const [at, { item, quoted, signature }] of target.entries()) {
      // A client without an answer posts again. A permit that has already deposited says so.
      yield* postSignature(url, item, signature)
      const end = yield* permitEnded(url, item)
      assert.strictEqual(end.status, "success", `${places[at]}: ${JSON.stringify(end)}`)
      assert.lengthOf(end.inTxHashes, 1)
      assert.isTrue((yield* held(beta, USDC, recipientAt(at + 1))) > 0n)
      assert.strictEqual(quoted.details.currencyIn.amount, USDC.some.toString())
    }
    assert.strictEqual(before - (yield* held(alpha, USDC, user)), USDC.some * BigInt(target.length + 1))
    const sent = yield* Effect.promise(() => reader(alpha).getTransactionCount({ address: chains.operator }))
    assert.strictEqual(sent, target.length + 1)
  }))

/**
 * Both services under all that a stranger can load them with at once: dust, transactions full of other contracts'
 * events, claims that are false, calldata, and connections that say nothing. Each runs in 256 MiB of heap, and what it
 * holds in the second half of the time is what it held in the first. `SOAK_SECONDS` says for how long, 180 unless set.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../localnet/nodes/ethereum/Addresses.ts"
import { anyFree } from "../localnet/nodes/Port.ts"
import { deploySpammer, spam } from "../oracle/testing/Spammer.ts"
import { ended, nativeRequest, post, quote, sendCall, sendDeposit } from "../transfer/testing/Client.ts"
import { named, nameless } from "../transfer/testing/DustContract.ts"
import { startOracle } from "../transfer/testing/HostProcess.ts"
import { startNetwork } from "../transfer/testing/TransferNetwork.ts"

const SECONDS = Number(process.env["SOAK_SECONDS"] ?? "180")
const LEAST_ROUNDS = 6
/**
 * The resident memory of a process may differ between the halves by this much: its heap may still fill, up to its
 * limit, before it is collected.
 */
const ROOM = 160 * 1024 * 1024
const HEAP = { NODE_OPTIONS: "--max-old-space-size=256" }

const DEPOSITS = "/attestations/depository-deposits/v1"
const FILLS = "/attestations/solver-fills/v1"

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024

/** Connections that never say anything; whoever closes them may. */
const silent = (url: string, count: number): ReadonlyArray<Socket> =>
  Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    return socket.on("error", () => socket.destroy())
  })

it.live(
  "both services hold no more memory and rows after minutes of dust, large evidence, false claims, calldata and silent connections",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, users: [stranger = "0x", user = "0x"] }, startHost } = yield* startNetwork
      const transfer = yield* startHost({ ...HEAP, CALLDATA_MIB: "16" })
      const oracle = yield* startOracle({
        ...HEAP,
        ENVIRONMENT: "local",
        CHAINS: "alpha",
        ALPHA_RPC_URL: alpha.url,
        HUB_RPC_URL: "http://127.0.0.1:9",
        ECDSA_PRIVATE_KEY: toHex(7, { size: 32 }),
        HTTP_PORT: `${yield* anyFree}`
      })
      const dust = [yield* named(alpha, stranger, 2_800), yield* nameless(alpha, stranger, 2_800, 1_000)]
      const spammer = yield* deploySpammer(alpha, stranger, addressOf("Depository"))
      const account = privateKeyToAccount(user).address
      const large = {
        ...nativeRequest(account, alpha, beta, 10n ** 16n),
        txs: Array.from(
          { length: 4 },
          () => ({ to: toHex(0xd1, { size: 20 }), value: "0", data: toHex(0, { size: 16_384 }) })
        )
      }
      const sockets: Array<Socket> = []
      yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
      const spammed: Array<Hex> = []
      const held = { transfer: [] as Array<number>, oracle: [] as Array<number> }

      const claimed = (transactionId: string) => post(`${oracle.url}${DEPOSITS}`, { chainId: "alpha", transactionId })
      const round = Effect.fnUntraced(function*(number: number) {
        for (const send of dust) assert.strictEqual((yield* send()).status, "success")
        const { transactionHash } = yield* sendCall(alpha, stranger, {
          to: spammer,
          data: spam(800, 2_000, account, toHex(number, { size: 32 })),
          value: 1n,
          gas: 60_000_000n
        })
        spammed.push(transactionHash)
        yield* alpha.mine(3)
        const claims = [
          ...spammed.slice(-20).flatMap((id) => [id, id]).map(claimed),
          ...Array.from({ length: 100 }, (_, index) => claimed(toHex(number * 1_000 + index, { size: 32 }))),
          ...Array.from(
            { length: 20 },
            () => post(`${oracle.url}${FILLS}`, { order: { padding: "x".repeat(500_000) }, inputs: [] })
          )
        ]
        yield* Effect.forEach(claims, (claim) => claim, { concurrency: 32, discard: true })
        yield* Effect.forEach(Array.from({ length: 40 }), () => post(`${transfer.url}/quote`, large), {
          concurrency: 8,
          discard: true
        })
        sockets.push(...silent(transfer.url, 300), ...silent(oracle.url, 300))

        // What an honest caller asks is answered, beside all that.
        assert.strictEqual((yield* claimed(transactionHash)).status, 200)
        const quoted = yield* quote(transfer.url, nativeRequest(account, alpha, beta, 10n ** 16n))
        yield* sendDeposit(alpha, user, quoted)
        assert.strictEqual((yield* ended(transfer.url, quoted)).status, "success")
        held.transfer.push(residentBytes(transfer.pid))
        held.oracle.push(residentBytes(oracle.pid))
      })

      const until = performance.now() + SECONDS * 1_000
      for (let number = 0; number < LEAST_ROUNDS || performance.now() < until; number += 1) yield* round(number)
      for (const [service, bytes] of Object.entries(held)) {
        const half = Math.ceil(bytes.length / 2)
        const grown = Math.max(...bytes.slice(half)) - Math.max(...bytes.slice(0, half))
        assert.isBelow(grown, ROOM, `${service}: ${bytes.map((each) => Math.round(each / 1024 / 1024)).join(", ")} MiB`)
      }
    })),
  SECONDS * 1_000 + 600_000
)

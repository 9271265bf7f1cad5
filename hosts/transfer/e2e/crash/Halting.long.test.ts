import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  bodyOf,
  ADMIN_TOKEN,
  isReady,
  key,
  lossesOf,
  Network,
  remembered,
  replaceFrom,
  resume
} from "../misbehaviour/testing/Halted.ts"
import { ended, quote } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { assertFilledOnce, closed, eventually, holdMining, resumeMining } from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { untilKilled } from "./testing/InjectCrash.ts"

const places = [
  "Losses.book deposit:before",
  "Losses.book deposit:after",
  "Pauses.add:before",
  "Pauses.add:after",
  "Pauses.remove:before",
  "Pauses.remove:after"
]

layer(Network.layer, { excludeTestServices: true })(
  "a host that is killed while it halts a chain, or is told to resume it",
  (it) => {
    for (const [index, place] of places.entries()) {
      it.effect(`${place}: the chain is halted, the loss booked once, nothing paid twice, and it can be resumed`, () =>
        Effect.scoped(Effect.gen(function*() {
          const { alphaNode, betaNode, chains: { alpha, beta, solver }, environment } = yield* Network
          const own = { ...environment, ADMIN_TOKEN, ALPHA_RPC_URL: alphaNode.url, BETA_RPC_URL: betaNode.url }
          const doomed = yield* spawnHost("transfer", { ...own, FAILPOINT: place })
          const ready = (url: string) =>
            isReady(url).pipe(Effect.catchDefect(() => Effect.succeed({ code: 0, text: "" })))
          yield* eventually("it is up", ready(doomed.url), ({ code }) => code === 200)
          const quoted = yield* quote(doomed.url, yield* bodyOf(index, `0x${"0".repeat(36)}cc0${index}`))
          yield* holdMining(alpha)
          const before = yield* alpha.request("evm_snapshot")
          yield* sendRaw(alpha, yield* signDeposit(alpha, yield* key(index), quoted))
          yield* alpha.mine(4)
          assert.strictEqual((yield* ended(doomed.url, quoted)).status, "success")
          yield* eventually(
            "the filling has ended: its deposit is final",
            closed(doomed.url, "filled"),
            (count) => count === 1
          )
          yield* alpha.mine(1)
          yield* remembered("alpha")
          yield* replaceFrom("alpha", before)
          if (place.startsWith("Pauses.remove")) {
            yield* eventually(
              "it is halted, and what that took is booked",
              lossesOf(doomed.url, quoted),
              (all) => all.length === 1
            )
            yield* Effect.forkScoped(Effect.ignoreCause(resume(doomed.url, alpha.chainId)))
          }
          yield* untilKilled(doomed, place)

          const host = yield* spawnHost("transfer", own)
          yield* eventually(
            "the loss",
            lossesOf(host.url, quoted).pipe(Effect.catchDefect(() => Effect.succeed([]))),
            (all) => all.length === 1
          )
          if (!place.startsWith("Pauses.remove")) {
            yield* eventually("it is halted still", ready(host.url), ({ text }) => text.includes("alpha is halted"))
          }
          // It is halted again until the loss has been reported. Readiness alone does not show it, because beta is
          // served all the time.
          const isHalted = ({ text }: { readonly text: string }) => text.includes("alpha is halted")
          const resumed = Effect.tap(
            ready(host.url),
            (answer) => isHalted(answer) ? resume(host.url, alpha.chainId) : Effect.void
          )
          yield* eventually("it is ready", resumed, (answer) => answer.code === 200 && !isHalted(answer))
          yield* alpha.mine(4)
          yield* resumeMining(alpha)
          yield* eventually("the deposit is closed as gone", closed(host.url, "gone"), (count) => count === 1)
          assert.strictEqual((yield* isReady(host.url)).code, 200)
          assert.lengthOf(yield* lossesOf(host.url, quoted), 1)
          yield* assertFilledOnce({ alpha, beta, solver }, quoted)
        })))
    }
  }
)

/** Health, readiness and the chains that are loaded. */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/ChainObserver.ts"
import { Chains } from "../../../ports/Chains.ts"
import { OracleApi } from "../api/OracleApi.ts"
import { Shadow } from "../Shadow.ts"

export const layer = HttpApiBuilder.group(OracleApi, "service", Effect.fn(function*(handlers) {
  const chains = yield* Chains
  const observer = yield* ChainObserver
  const signer = yield* AttestationSigner
  const { isShadow } = yield* Shadow

  const signerNow = Effect.map(Effect.result(signer.check), (checked) =>
    Result.isSuccess(checked) ? { signer: checked.success } : { signerProblem: checked.failure.message })
  const ready = Effect.fnUntraced(function*() {
    const readQuorums = Effect.forEach(chains.all, (chain) =>
      Effect.map(observer.health(chain), ({ answering, hosts, needed, weak }) => ({
        id: chain.slug,
        observed: needed > 0,
        needed,
        endpoints: hosts.length,
        answering: answering.length,
        weak
      })), { concurrency: "unbounded" })
    const [quorums, signing] = yield* Effect.all([readQuorums, signerNow], { concurrency: "unbounded" })
    const isReady = "signer" in signing && quorums.every(({ answering, needed }) => answering >= needed)
    return { status: isReady ? "ready" as const : "not-ready" as const, ...signing, shadow: isShadow, chains: quorums }
  })

  return handlers.handleAll({
    lives: () => Effect.succeed({ status: "ok" as const }),
    chains: () => Effect.succeed({ chains: chains.all.map(({ depository, family, slug }) => ({ id: slug, vmType: family, depository })) }),
    ready
  })
}))

/** The withdrawal routes: hands decoded claims to `AttestingWithdrawals`, and writes what it answers as the protocol has it. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import { AttestingWithdrawals } from "../../../src/services/attesting/AttestingWithdrawals.ts"
import type { AttestedWithdrawal } from "../../../src/services/attesting/AttestingWithdrawals.ts"
import type { InitiatedRequestBody } from "../api/Withdrawals.ts"
import { OracleApi } from "../api/OracleApi.ts"
import { Shadow } from "../Shadow.ts"
import { answering, inputErrors, wireExecution } from "./Attestations.ts"

const claimOf = (body: typeof InitiatedRequestBody.Type) => ({
  settlementChainId: body.settlementChainId,
  expectedAmount: body.expectedAmount,
  chainId: body.chainId,
  currency: body.currency,
  withdrawer: body.withdrawer,
  withdrawerChainId: body.withdrawerChainId,
  recipient: body.recipient,
  withdrawalNonce: body.withdrawalNonce
})

export const layer = HttpApiBuilder.group(OracleApi, "withdrawals", Effect.fn(function*(handlers) {
  const attesting = yield* AttestingWithdrawals
  const { address: oracle } = yield* AttestationSigner
  const { isShadow } = yield* Shadow
  const marked = isShadow ? { shadow: true as const } : {}

  const withdrawalAnswer = (chainId: string, { execution, message: { withdrawal, ...result }, signature }: AttestedWithdrawal) => ({
    message: { data: { chainId, withdrawal }, result, signature: { oracle, signature } },
    ...(execution === undefined ? {} : { execution: wireExecution(execution) }),
    ...marked
  })

  return handlers.handleAll({
    withdrawals: ({ payload }) => Effect.map(answering(attesting.withdrawal(payload)), (attested) => withdrawalAnswer(payload.chainId, attested)),
    initiation: ({ payload }) => {
      const { signature } = payload
      const claim = claimOf(payload)
      return Effect.map(answering(attesting.initiation(claim, signature)), ({ execution, withdrawalAddress }) => ({
        message: { data: { ...claim, signature }, result: { withdrawalAddress } },
        execution: wireExecution(execution),
        ...marked
      }))
    },
    initiated: ({ payload }) => {
      const claim = claimOf(payload)
      return Effect.map(answering(attesting.initiated(claim)), (result) => ({ message: { data: claim, result }, ...marked }))
    }
  })
})).pipe(Layer.provide(inputErrors))

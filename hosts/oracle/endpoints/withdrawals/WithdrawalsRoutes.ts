/**
 * The withdrawal routes: pass decoded claims to `AttestingWithdrawals`, and encode its answers in the protocol's form.
 */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { AttestingWithdrawals } from "../../../../src/services/attesting/AttestingWithdrawals.ts"
import type { AttestedWithdrawal } from "../../../../src/services/attesting/AttestingWithdrawals.ts"
import type { InitiatedRequestBody } from "./WithdrawalsApi.ts"
import { OracleApi } from "../OracleApi.ts"
import { answering, wireExecution } from "../Answering.ts"
import { inputErrors } from "../attestations/AttestationsRoutes.ts"
import { makeCosigned } from "../Cosigned.ts"

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

export const layer = HttpApiBuilder.group(
  OracleApi,
  "withdrawals",
  Effect.fn(function*(handlers) {
    const attesting = yield* AttestingWithdrawals
    const { address } = yield* AttestationSigner
    const { cosigned, notesOf } = yield* makeCosigned

    const withdrawalAnswer = (
      chainId: string,
      { execution, message: { withdrawal, ...result }, signature }: AttestedWithdrawal,
      oracle: Address
    ) => ({
      message: { data: { chainId, withdrawal }, result, signature: { oracle, signature } },
      ...(execution === undefined ? {} : { execution: wireExecution(execution) }),
      ...notesOf(execution)
    })

    return handlers.handleAll({
      withdrawals: (call) =>
        Effect.map(
          answering(cosigned(call, Effect.all([attesting.withdrawal(call.payload), address]))),
          ([attested, oracle]) => withdrawalAnswer(call.payload.chainId, attested, oracle)
        ),
      initiation: (call) => {
        const { signature } = call.payload
        const claim = claimOf(call.payload)
        return Effect.map(
          answering(cosigned(call, attesting.initiation(claim, signature))),
          ({ execution, withdrawalAddress }) => ({
            message: { data: { ...claim, signature }, result: { withdrawalAddress } },
            execution: wireExecution(execution),
            ...notesOf(execution)
          })
        )
      },
      initiated: ({ payload }) => {
        const claim = claimOf(payload)
        return Effect.map(
          answering(attesting.initiated(claim)),
          (result) => ({ message: { data: claim, result }, ...notesOf(undefined) })
        )
      }
    })
  })
).pipe(Layer.provide(inputErrors))

/** The answer of `depository-deposits/v1`, by the router and ahead of it. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { Attesting } from "../../../../src/services/attesting/Attesting.ts"
import type { AttestedDeposits } from "../../../../src/services/attesting/Attesting.ts"
import type { AttestFailure } from "../../../../src/services/attesting/AttestFailure.ts"
import { answering, wireExecution } from "../Answering.ts"
import { makeCosigned } from "../Cosigned.ts"
import type { DepositsRequest } from "./AttestationsApi.ts"
import { writeDeposits } from "./WriteDeposits.ts"
import type { DepositsWire } from "./WriteDeposits.ts"

/** The metadata refers to the first hub that this oracle signed for, independent of other signatures. */
const metadataOf = ({ deposits, execution }: AttestedDeposits, oracle: Address) =>
  (execution?.signatures ?? []).filter(({ signer }) => signer === oracle).slice(0, 1).flatMap(({ contract, domain }) =>
    deposits.map(({ metadata }) => ({
      hubTokenId: metadata.hubTokenId.toString(),
      origin: metadata.origin,
      oracleChainId: domain.chainId.toString(),
      oracleContract: contract
    }))
  )

type Attestation = Effect.Effect<readonly [AttestedDeposits, Address], AttestFailure>

export const makeDepositsAnswer = Effect.gen(function*() {
  const attesting = yield* Attesting
  const { address } = yield* AttestationSigner
  const { notesOf } = yield* makeCosigned

  const depositsAnswer = (chainId: string, attested: AttestedDeposits, oracle: Address): DepositsWire => ({
    messages: attested.deposits.map(({ message: { transactionId, ...result }, signature, timestamp }) => ({
      data: { chainId, transactionId },
      result: { ...result, amount: result.amount.toString() },
      signature: { oracle, signature },
      extraData: { timestamp }
    })),
    ...(attested.execution === undefined
      ? {}
      : { execution: { ...wireExecution(attested.execution), metadata: metadataOf(attested, oracle) } }),
    ...notesOf(attested.execution)
  })

  /** `alongside`: what runs the attestation, while peers are asked. */
  return (claim: typeof DepositsRequest.Type, alongside: (attestation: Attestation) => Attestation) =>
    Effect.map(
      answering(
        alongside(
          Effect.flatMap(
            attesting.deposits(claim),
            (attested) => Effect.map(address, (oracle) => [attested, oracle] as const)
          )
        )
      ),
      ([attested, oracle]): HttpServerResponse.HttpServerResponse =>
        writeDeposits(depositsAnswer(claim.chainId, attested, oracle))
    )
})

/**
 * The answer of `depository-deposits/v1`, the oracle's most frequent one, written at once: without encoding it by its
 * schema, which checks every text again that this process has just made. A test compares the bytes of both ways.
 */
import { HttpServerResponse } from "effect/http"
import type { DepositsAnswer } from "./AttestationsApi.ts"

export type DepositsWire = typeof DepositsAnswer.Type

/** Members are written in the order of the definition, whatever the order in `answer`. */
export const depositsText = ({ execution, messages, shadow, signaturesMissing }: DepositsWire): string =>
  JSON.stringify({
    messages: messages.map(({ data, extraData, result, signature }) => ({
      data: { chainId: data.chainId, transactionId: data.transactionId },
      result: {
        onchainId: result.onchainId,
        depository: result.depository,
        depositId: result.depositId,
        depositor: result.depositor,
        currency: result.currency,
        amount: result.amount
      },
      signature: { oracle: signature.oracle, signature: signature.signature },
      extraData: { timestamp: extraData.timestamp }
    })),
    execution: execution === undefined ? undefined : {
      idempotencyKey: execution.idempotencyKey,
      actions: execution.actions,
      metadata: execution.metadata?.map(({ hubTokenId, oracleChainId, oracleContract, origin }) => ({
        hubTokenId,
        origin: { address: origin.address, chainId: origin.chainId, family: origin.family },
        oracleChainId,
        oracleContract
      })),
      signatures: execution.signatures.map(({ oracleChainId, oracleContract, oracleSigner, signature }) => ({
        oracleChainId,
        oracleContract,
        oracleSigner,
        signature
      }))
    },
    signaturesMissing,
    shadow
  })

export const writeDeposits = (answer: DepositsWire): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(depositsText(answer), { contentType: "application/json" })

/**
 * Decodes the body of `depository-deposits/v1` as its schema does, several times as fast: a claim of two plain members on
 * a configured chain without it, everything else by it. A property compares the two.
 */
import { Schema } from "effect"
import type { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { knownMembersOnly } from "../OracleApi.ts"
import { DepositsRequest, MOST_TRANSACTION_TEXT } from "./AttestationsApi.ts"

type Claim = typeof DepositsRequest.Type

export const decodeBySchema = Schema.decodeUnknownExit(Schema.fromJsonString(DepositsRequest), knownMembersOnly)

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Undefined for a body that the API refuses. `slugs`: those of the configured chains. */
export const makeDecodeClaim = (slugs: ReadonlyArray<ChainSlug>) => {
  const known = new Map<unknown, ChainSlug>(slugs.map((slug) => [slug, slug]))

  const plain = (value: unknown): Claim | undefined => {
    if (typeof value !== "object" || value === null) return undefined
    if (!("chainId" in value) || !("transactionId" in value) || Object.keys(value).length !== 2) return undefined
    const chainId = known.get(value.chainId)
    const { transactionId } = value
    return chainId !== undefined && typeof transactionId === "string" && transactionId.length > 0 &&
        transactionId.length <= MOST_TRANSACTION_TEXT
      ? { chainId, transactionId }
      : undefined
  }

  return (body: string): Claim | undefined => {
    const claim = plain(parsed(body))
    if (claim !== undefined) return claim
    const decoded = decodeBySchema(body)
    return decoded._tag === "Success" ? decoded.value : undefined
  }
}

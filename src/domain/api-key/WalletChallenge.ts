/**
 * What a wallet is asked to sign: that one key may spend its app balance, or that a key, or none, may do so any longer.
 *
 * A challenge is kept; its message follows from it and from the site that asks, so that the one text that may come back
 * is known to the byte.
 */
import * as DateTime from "effect/DateTime"
import type { Address } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { ApiKeyId } from "./ApiKey.ts"
import { formatSignIn } from "./SignInMessage.ts"

/** Link names the key that asks; Unlink one key, or all keys of the wallet without one. */
export type ChallengePurpose =
  | { readonly _tag: "Link"; readonly key: ApiKeyId }
  | { readonly _tag: "Unlink"; readonly key: ApiKeyId | undefined }

export interface WalletChallenge {
  /** Letters and digits; names the challenge, and is good once. */
  readonly nonce: string
  readonly purpose: ChallengePurpose
  readonly wallet: Address
  /** Milliseconds. */
  readonly issuedAt: number
  /** Milliseconds: from then on it is good for nothing. */
  readonly expiresAt: number
}

/** Who asks, and on which chain the wallet is. */
export interface SignInSite {
  /** The authority of the service's public address. */
  readonly domain: string
  readonly uri: string
  /** The settlement chain's, on which balances are and contract wallets are asked. */
  readonly chainId: ChainId
}

/** How long a challenge is good for (KEY-4). */
export const CHALLENGE_MS = 5 * 60 * 1000

const iso = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds))

const statementOf = ({ purpose }: WalletChallenge): string => {
  switch (purpose._tag) {
    case "Link":
      return `The API key ${purpose.key} may spend the app balance of this wallet on the fees of its users.`
    case "Unlink":
      return purpose.key === undefined
        ? "No API key may spend the app balance of this wallet any longer."
        : `The API key ${purpose.key} may not spend the app balance of this wallet any longer.`
  }
}

/** The message of a challenge: the only text that may come back signed. */
export const messageOf = (challenge: WalletChallenge, { chainId, domain, uri }: SignInSite): string => {
  const { expiresAt, issuedAt, nonce, purpose, wallet } = challenge
  return formatSignIn({
    domain,
    address: wallet,
    statement: statementOf(challenge),
    uri,
    chainId,
    nonce,
    issuedAt: iso(issuedAt),
    expirationTime: iso(expiresAt),
    ...(purpose.key === undefined ? {} : { requestId: purpose.key })
  })
}

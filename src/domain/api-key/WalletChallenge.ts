/**
 * What a wallet is asked to sign: that a key may spend its app balance, that one key or all keys may no longer do so,
 * or that it signs in to the dashboard.
 *
 * The challenge is stored. Its message follows from the challenge and the site, so the only acceptable text is known
 * byte by byte.
 */
import * as DateTime from "effect/DateTime"
import type { Address } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { ApiKeyId } from "./ApiKey.ts"
import { formatSignIn } from "./SignInMessage.ts"

/**
 * Link names the key that asks. Unlink names one key, or none for all keys of the wallet. SignIn opens a session of the
 * dashboard and allows no spending.
 */
export type ChallengePurpose =
  | { readonly _tag: "SignIn"; readonly key: undefined }
  | { readonly _tag: "Link"; readonly key: ApiKeyId }
  | { readonly _tag: "Unlink"; readonly key: ApiKeyId | undefined }

export interface WalletChallenge {
  /** Letters and digits. Identifies the challenge and can be used once. */
  readonly nonce: string
  readonly purpose: ChallengePurpose
  readonly wallet: Address
  /** Milliseconds. */
  readonly issuedAt: number
  /** Milliseconds. From then on the challenge is invalid. */
  readonly expiresAt: number
}

/** The service that asks, and the wallet's chain. */
export interface SignInSite {
  /** The authority of the service's public address. */
  readonly domain: string
  readonly uri: string
  /** The settlement chain: app balances are held there, and contract wallets are called there. */
  readonly chainId: ChainId
}

/** How long a challenge is valid (KEY-4). */
export const CHALLENGE_MS = 5 * 60 * 1000

const iso = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds))

const statementOf = ({ purpose }: WalletChallenge): string => {
  switch (purpose._tag) {
    case "SignIn":
      return "Sign in to the dashboard. This allows nobody to spend anything."
    case "Link":
      return `The API key ${purpose.key} may spend the app balance of this wallet on the fees of its users.`
    case "Unlink":
      return purpose.key === undefined
        ? "No API key may spend the app balance of this wallet any longer."
        : `The API key ${purpose.key} may not spend the app balance of this wallet any longer.`
  }
}

/** The message of a challenge: the only text that is accepted. */
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

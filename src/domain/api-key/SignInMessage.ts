/**
 * Sign-In-With-Ethereum messages (EIP-4361): builds and parses the text that a wallet shows and signs.
 *
 * Guarantee: parsing is total and strict. `formatSignIn` of a parsed message gives the same bytes. Times keep their
 * spelling. `JudgeSignIn` decides whether a message is valid.
 *
 * Why not viem's parser (a test compares ours with it): it rejects the domains `[::1]:3001` and `a_b:3001`, so a
 * service there could link no wallet, and it ignores a wrong version and any text after the message.
 */
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { checksummed } from "../families/HexAccount.ts"
import { ChainId } from "../chain/ChainId.ts"

export interface SignInMessage {
  readonly scheme?: string
  /** The authority that asks for the signature: the host, with the port unless it is the scheme's default. */
  readonly domain: string
  readonly address: Address
  readonly statement?: string
  readonly uri: string
  readonly chainId: ChainId
  /** At least eight letters and digits. */
  readonly nonce: string
  /** RFC 3339, like the other times. */
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  readonly requestId?: string
  readonly resources?: ReadonlyArray<string>
}

/** Longer texts are refused. No message of this service is longer. */
export const MAX_SIGN_IN_LENGTH = 4_096

const OPENING = " wants you to sign in with your Ethereum account:"

/** The text of a message. Its parts must be well formed. */
export const formatSignIn = (message: SignInMessage): string =>
  [
    `${message.scheme === undefined ? "" : `${message.scheme}://`}${message.domain}${OPENING}`,
    checksummed(message.address),
    "",
    ...(message.statement === undefined ? [""] : [message.statement, ""]),
    `URI: ${message.uri}`,
    "Version: 1",
    `Chain ID: ${message.chainId}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    ...(message.expirationTime === undefined ? [] : [`Expiration Time: ${message.expirationTime}`]),
    ...(message.notBefore === undefined ? [] : [`Not Before: ${message.notBefore}`]),
    ...(message.requestId === undefined ? [] : [`Request ID: ${message.requestId}`]),
    ...(message.resources === undefined ? [] : ["Resources:", ...message.resources.map((uri) => `- ${uri}`)])
  ].join("\n")

const opening = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([A-Za-z0-9._~!$&'()*+,;=:@%[\]-]+)$/u
const statement = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;= -]+$/u
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/u
const chainNumber = /^[1-9][0-9]{0,15}$/u
const nonce = /^[A-Za-z0-9]{8,}$/u
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u
const requestId = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/u

const isTime = (text: string): boolean => time.test(text) && Option.isSome(DateTime.make(text))

/** Takes lines from the front. `undefined` after the last one. */
const linesOf = (text: string) => {
  const lines = text.split("\n")
  let next = 0
  return {
    take: (): string | undefined => lines[next++],
    /**
     * Takes the next line when it starts with this field's name and returns its value. Undefined, taking nothing,
     * otherwise.
     */
    field: (name: string): string | undefined => {
      const line = lines[next]
      if (line === undefined || !line.startsWith(name)) return undefined
      next++
      return line.slice(name.length)
    },
    rest: (): ReadonlyArray<string> => lines.slice(next)
  }
}

const fail = (part: string) => Result.fail(`${part} is not what EIP-4361 asks for`)

/** Accepts only the spelling that the standard requires: the EIP-55 checksum. */
const parseAccount = (text: string | undefined): Address | undefined => {
  const parsed = protocolAccounts.parse(text ?? "")
  return Result.isSuccess(parsed) && checksummed(parsed.success) === text ? parsed.success : undefined
}

/** Parses a message, or says which part is malformed. */
export const parseSignIn = (text: string): Result.Result<SignInMessage, string> => {
  if (text.length > MAX_SIGN_IN_LENGTH) return fail("the length")
  const lines = linesOf(text)
  const first = lines.take() ?? ""
  const [, scheme, domain] = first.endsWith(OPENING) ? opening.exec(first.slice(0, -OPENING.length)) ?? [] : []
  if (domain === undefined) return fail("the first line")
  const address = parseAccount(lines.take())
  if (address === undefined) return fail("the address")
  if (lines.take() !== "") return fail("the line after the address")
  const said = lines.take()
  if (said !== "" && (said === undefined || !statement.test(said) || lines.take() !== "")) return fail("the statement")
  const about = lines.field("URI: ")
  if (about === undefined || !uri.test(about)) return fail("URI")
  if (lines.field("Version: ") !== "1") return fail("Version")
  const chain = lines.field("Chain ID: ") ?? ""
  const chainId = Number(chain)
  if (!chainNumber.test(chain) || !Number.isSafeInteger(chainId)) return fail("Chain ID")
  const once = lines.field("Nonce: ")
  if (once === undefined || !nonce.test(once)) return fail("Nonce")
  const issuedAt = lines.field("Issued At: ")
  if (issuedAt === undefined || !isTime(issuedAt)) return fail("Issued At")
  const expirationTime = lines.field("Expiration Time: ")
  if (expirationTime !== undefined && !isTime(expirationTime)) return fail("Expiration Time")
  const notBefore = lines.field("Not Before: ")
  if (notBefore !== undefined && !isTime(notBefore)) return fail("Not Before")
  const request = lines.field("Request ID: ")
  if (request !== undefined && !requestId.test(request)) return fail("Request ID")
  const heading = lines.field("Resources:")
  const rest = lines.rest()
  const areResources = heading === "" && rest.every((line) => line.startsWith("- ") && uri.test(line.slice(2)))
  if (heading === undefined ? rest.length > 0 : !areResources) return fail("the end")
  return Result.succeed({
    ...(scheme === undefined ? {} : { scheme }),
    domain,
    address,
    ...(said === "" ? {} : { statement: said }),
    uri: about,
    chainId: ChainId.make(chainId),
    nonce: once,
    issuedAt,
    ...(expirationTime === undefined ? {} : { expirationTime }),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(request === undefined ? {} : { requestId: request }),
    ...(heading === undefined ? {} : { resources: rest.map((line) => line.slice(2)) })
  })
}

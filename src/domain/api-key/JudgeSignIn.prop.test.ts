/** Only the exact text of a valid challenge is accepted: for its purpose, wallet, key and site, until it expires. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ChainId } from "../chain/ChainId.ts"
import { ApiKeyId } from "./ApiKey.ts"
import { judgeSignIn, readSignIn } from "./JudgeSignIn.ts"
import type { AskedPurpose, SignInFacts } from "./JudgeSignIn.ts"
import { parseSignIn } from "./SignInMessage.ts"
import { signInReasons } from "./SignInRefused.ts"
import { wallets } from "./testing/SignInMessages.ts"
import { CHALLENGE_MS, messageOf } from "./WalletChallenge.ts"
import type { ChallengePurpose, SignInSite, WalletChallenge } from "./WalletChallenge.ts"

const ids = fc.stringMatching(/^key_[0-9a-f]{16}$/u).map((id) => ApiKeyId.make(id))
const purposes: fc.Arbitrary<ChallengePurpose> = fc.oneof(
  fc.record({ _tag: fc.constant("Link" as const), key: ids }),
  fc.constant({ _tag: "SignIn" as const, key: undefined }),
  fc.record({ _tag: fc.constant("Unlink" as const), key: fc.option(ids, { nil: undefined }) })
)
const challenges: fc.Arbitrary<WalletChallenge> = fc.record({
  nonce: fc.stringMatching(/^[0-9a-f]{32}$/u),
  purpose: purposes,
  wallet: wallets,
  issuedAt: fc.integer({ min: 1_600_000_000_000, max: 4_000_000_000_000 })
}).map((parts) => ({ ...parts, expiresAt: parts.issuedAt + CHALLENGE_MS }))
const sites: fc.Arbitrary<SignInSite> = fc.record({
  domain: fc.constantFrom("a.example", "b.example", "localhost:3001"),
  uri: fc.constantFrom("https://a.example/", "https://b.example/api"),
  chainId: fc.constantFrom(1, 8453, 616102).map((id) => ChainId.make(id))
})

const askedFor = ({ purpose }: WalletChallenge): AskedPurpose =>
  purpose._tag === "Link" ? purpose : { _tag: purpose._tag }

const judge = (text: string, facts: SignInFacts) =>
  Result.flatMap(readSignIn(text), (message) => judgeSignIn(text, message, facts))

const reasonOf = (judged: ReturnType<typeof judge>) => Result.isFailure(judged) ? judged.failure.reason : "accepted"

describe("returned sign-in messages", () => {
  it("are accepted unchanged, until they expire", () => {
    fc.assert(
      fc.property(challenges, sites, fc.nat(CHALLENGE_MS - 1), (challenge, site, after) => {
        const facts = {
          site,
          asked: askedFor(challenge),
          now: challenge.issuedAt + after,
          kept: { challenge, isUsed: false }
        }
        const text = messageOf(challenge, site)
        assert.deepStrictEqual(judge(text, facts), Result.succeed(challenge))
        assert.strictEqual(reasonOf(judge(text, { ...facts, now: challenge.expiresAt })), "MESSAGE_EXPIRED")
        assert.strictEqual(reasonOf(judge(text, { ...facts, kept: { challenge, isUsed: true } })), "NONCE_USED")
        assert.strictEqual(reasonOf(judge(text, { ...facts, kept: undefined })), "UNKNOWN_NONCE")
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("belong to one challenge at one site: another one's text is never accepted in its place", () => {
    fc.assert(
      fc.property(challenges, challenges, sites, sites, (kept, made, here, there) => {
        const text = messageOf(made, there)
        const facts = {
          site: here,
          asked: askedFor(kept),
          now: kept.issuedAt,
          kept: { challenge: kept, isUsed: false }
        }
        if (text !== messageOf(kept, here)) assert.notStrictEqual(reasonOf(judge(text, facts)), "accepted")
        if (there.domain !== here.domain) assert.strictEqual(reasonOf(judge(text, facts)), "WRONG_DOMAIN")
        else if (there.chainId !== here.chainId) assert.strictEqual(reasonOf(judge(text, facts)), "WRONG_CHAIN")
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("must match completely: no character may be changed, missing or added", () => {
    fc.assert(
      fc.property(
        challenges,
        sites,
        fc.nat(),
        fc.oneof(fc.constant(""), fc.string({ minLength: 1, maxLength: 3 })),
        fc.nat(2),
        (challenge, site, at, put, cut) => {
          const text = messageOf(challenge, site)
          const place = at % text.length
          const other = `${text.slice(0, place)}${put}${text.slice(place + cut)}`
          const facts = {
            site,
            asked: askedFor(challenge),
            now: challenge.issuedAt,
            kept: { challenge, isUsed: false }
          }
          const judged = judge(other, facts)
          assert.strictEqual(Result.isSuccess(judged), other === text)
          if (Result.isFailure(judged)) assert.include(signInReasons, judged.failure.reason)
        }
      ),
      { numRuns: inputs(5_000, 200_000) }
    )
  })

  it("are valid for their own key and purpose only", () => {
    fc.assert(
      fc.property(challenges, sites, ids, (challenge, site, key) => {
        const facts = { site, now: challenge.issuedAt, kept: { challenge, isUsed: false } }
        const text = messageOf(challenge, site)
        const linked = reasonOf(judge(text, { ...facts, asked: { _tag: "Link", key } }))
        assert.strictEqual(
          linked,
          challenge.purpose._tag !== "Link"
            ? "WRONG_PURPOSE"
            : challenge.purpose.key === key
            ? "accepted"
            : "WRONG_KEY"
        )
        const unlinked = reasonOf(judge(text, { ...facts, asked: { _tag: "Unlink" } }))
        assert.strictEqual(unlinked, challenge.purpose._tag === "Unlink" ? "accepted" : "WRONG_PURPOSE")
        const signedIn = reasonOf(judge(text, { ...facts, asked: { _tag: "SignIn" } }))
        assert.strictEqual(signedIn, challenge.purpose._tag === "SignIn" ? "accepted" : "WRONG_PURPOSE")
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("name what is agreed to: the key, the balance, the duration", () => {
    const wallet = fc.sample(wallets, 1)[0]
    if (wallet === undefined) return assert.fail("a wallet")
    const site: SignInSite = {
      domain: "transfers.example",
      uri: "https://transfers.example/",
      chainId: ChainId.make(8453)
    }
    const challenge: WalletChallenge = {
      nonce: "0123456789abcdef",
      purpose: { _tag: "Link", key: ApiKeyId.make("key_1") },
      wallet,
      issuedAt: Date.UTC(2026, 0, 1),
      expiresAt: Date.UTC(2026, 0, 1, 0, 5)
    }
    const { address, chainId, domain, ...said } = Result.getOrThrow(parseSignIn(messageOf(challenge, site)))
    assert.deepStrictEqual([address, chainId, domain], [wallet, 8453, "transfers.example"])
    assert.deepStrictEqual(said, {
      statement: "The API key key_1 may spend the app balance of this wallet on the fees of its users.",
      uri: "https://transfers.example/",
      nonce: "0123456789abcdef",
      issuedAt: "2026-01-01T00:00:00.000Z",
      expirationTime: "2026-01-01T00:05:00.000Z",
      requestId: "key_1"
    })
  })
})

/** The version of the package: a bundle has no manifest where its sources have it. A test compares (scripts/deploy). */
export const version = "0.1.0"

/** What a part of the HTTP interface answers, by the last word of the path. */
export type Asked = Readonly<Record<string, unknown>>
export type Answers = Readonly<Record<string, (asked: Asked) => unknown>>

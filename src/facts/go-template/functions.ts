/**
 * Functions that templates may call.
 *
 * Sources: Go 1.26, text/template/funcs.go; github.com/Masterminds/sprig v3.3.0, functions.go.
 */

/** Functions of every template. */
export const GO_FUNCTIONS: readonly string[] = words(`
  and or not len index slice print printf println html js urlquery call eq ne lt le gt ge
`);

/** What the library sprig adds. */
export const SPRIG_FUNCTIONS: readonly string[] = words(`
  abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec b64enc base
  bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat contains date dateInZone
  dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default derivePassword dict dig dir div divf
  duration durationRound empty encryptAES env expandenv ext fail first float64 floor fromJson genCA genCAWithKey
  genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey get getHostByName
  has hasKey hasPrefix hasSuffix hello htmlDate htmlDateInZone htpasswd indent initial initials int int64 isAbs
  join kebabcase keys kindIs kindOf last list lower max maxf merge mergeOverwrite min minf mod mul mulf
  mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson mustHas mustInitial
  mustLast mustMerge mustMergeOverwrite mustPrepend mustRegexFind mustRegexFindAll mustRegexMatch
  mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice mustToDate
  mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout must_date_modify nindent nospace now omit
  osBase osClean osDir osExt osIsAbs pick pluck plural prepend quote randAlpha randAlphaNum randAscii randBytes
  randInt randNumeric regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral
  regexSplit repeat replace rest reverse round semver semverCompare seq set sha1sum sha256sum sha512sum shuffle
  slice snakecase sortAlpha split splitList splitn squote sub subf substr swapcase ternary title toDate
  toDecimal toJson toPrettyJson toRawJson toString toStrings trim trimAll trimPrefix trimSuffix trimall trunc
  tuple typeIs typeIsLike typeOf uniq unixEpoch unset until untilStep untitle upper urlJoin urlParse uuidv4
  values without wrap wrapWith
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

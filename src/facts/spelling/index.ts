/**
 * Names in messages: which known name a misspelled one was probably meant to be, and lists of names.
 */
export { editDistance, lettersOf, mayBeNear, nearestName, nearestNames, relatedName } from './near';
export { nearestObjectName, nearestOf, ObjectNames } from './object-names';
export { quotedNames } from './quoted-names';

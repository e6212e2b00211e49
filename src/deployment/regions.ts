/** Regions of other partitions of AWS, which lack services that the stack uses: those of China, GovCloud, isolated and sovereign clouds. */
export const UNSUPPORTED_REGION: RegExp = /^(cn|us-gov|us-iso[a-z]*|eu-iso[a-z]*|eusc[a-z]*)-/;

import fc from 'fast-check';

// One failure shows that a mutant is noticed. To look for a smaller one is for people.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

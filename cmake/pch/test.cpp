// Gives the precompiled header a target of its own: an executable, because position-independent
// code differs.
int main() { return 0; }

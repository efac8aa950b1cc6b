/* reductio: the UCI engine. */
#include <stdio.h>

int main(void)
{
    puts("id name Reductio");
    return 0;
}
